//! Names and secrets of many kinds, each in a sentence as programs, tools and people write it.

/// A private value.
pub struct Planted {
    /// What it is.
    pub kind: &'static str,
    /// A line that has it.
    pub line: String,
    /// The parts that no output may have.
    pub values: Vec<String>,
}

/// The user whose profile paths name.
pub const USER: &str = "k.oberhuber";
/// The computer.
pub const HOST: &str = "NB-ACC-4471";

/// Kind, line and values; `^` is left out, so that scanners of repositories find no secret here.
const LINES: &[(&str, &str, &[&str])] = &[
    ("user folder", r"Loading C:\Users\k.oberhuber\AppData\Local\Ledger\plug.dll failed", &["k.oberhuber"]),
    ("user name", "User name: k.oberhuber", &["k.oberhuber"]),
    ("user variable", "USERNAME=k.oberhuber", &["k.oberhuber"]),
    ("full name", "Full Name: Katrin Oberhuber", &["Katrin Oberhuber"]),
    ("one name of a person", "I asked Oberhuber about it", &["Oberhuber"]),
    ("domain user", r"started as TALWERKPRAXIS\k.oberhuber", &["TALWERKPRAXIS", "k.oberhuber"]),
    ("computer name", "Computer Name: NB-ACC-4471", &["NB-ACC-4471"]),
    ("computer variable", "COMPUTERNAME=NB-ACC-4471", &["NB-ACC-4471"]),
    ("full computer name", "Computer: nb-acc-4471.ad.talwerk-praxis.de", &["nb-acc-4471", "talwerk-praxis"]),
    ("computer in passing", "only NB-ACC-4471 shows this", &["NB-ACC-4471"]),
    ("default computer name", "also on DESKTOP-Q7LM2ZR", &["DESKTOP-Q7LM2ZR"]),
    ("file server", r"opened \\srv-files-09\finance$\2024.db", &["srv-files-09"]),
    ("redirector path", r"\Device\Mup\srv-files-09\tools\ledger.exe", &["srv-files-09"]),
    ("internal host", "no route to sql-acc-02.talwerk.local", &["sql-acc-02", "talwerk.local"]),
    ("logon server", r"LOGONSERVER=\\DC-TAL-01", &["DC-TAL-01"]),
    ("dns domain", "USERDNSDOMAIN=AD.TALWERK-PRAXIS.DE", &["TALWERK-PRAXIS"]),
    ("account domain", "Account Domain:\t\tTALWERKPRAXIS", &["TALWERKPRAXIS"]),
    ("security identifier", "owner S-1-5-21-3623811015-3361044348-30300820-1013", &["3623811015-3361044348"]),
    ("azure identifier", "S-1-12-1-2052345678-1123456789-3123456789-412345678", &["2052345678-1123456789"]),
    ("ipv4 address", "connection to 192.168.63.118:1433 was lost", &["192.168.63.118"]),
    ("public ipv4 address", "remote address 198.51.100.173", &["198.51.100.173"]),
    ("ipv6 address", "peer fe80::7a3c:51ff:fe0b:92d4%7 is gone", &["fe80::7a3c:51ff:fe0b:92d4"]),
    ("hardware address", "adapter 7A-3C-51-0B-92-D4 is down", &["7A-3C-51-0B-92-D4"]),
    ("cisco hardware address", "mac address 7a3c.510b.92d4", &["7a3c.510b.92d4"]),
    ("mail address", "write to katrin.oberhuber@talwerk-praxis.de", &["katrin.oberhuber", "talwerk-praxis"]),
    ("phone number", "call +49 8071 555 0194", &["8071 555 0194"]),
    ("local phone number", "Tel.: 08071 555 0194", &["08071 555 0194"]),
    ("serial number", "Serial Number: R90XK7ZT", &["R90XK7ZT"]),
    ("service tag", "Service Tag: 4TQ8ZN3", &["4TQ8ZN3"]),
    ("usb serial", r"USBSTOR\Disk&Ven_Kingston&Prod_DT&Rev_PMAP\E0D55EA573EEF451&0", &["E0D55EA573EEF451"]),
    ("machine guid", "MachineGuid: 6b0f7c1e-3d52-4f08-9a7c-d41e88b2905a", &["6b0f7c1e-3d52-4f08"]),
    ("imei", "IMEI: 490154203237518", &["490154203237518"]),
    ("product id", "Product ID: 00330-51923-88415-AAOEM", &["51923-88415"]),
    ("coordinates", "lat: 47.883012, lon: 12.184551", &["47.883012", "12.184551"]),
    ("payment card", "card 5425 2334 3010 9903 was declined", &["5425 2334 3010 9903"]),
    ("bank account", "IBAN AT48 3200 0000 1234 5864", &["AT48 3200 0000 1234 5864"]),
    ("account number", "account number: 7734 551 902", &["7734 551 902"]),
    ("social security number", "SSN 219-09-9999", &["219-09-9999"]),
    ("tax number", "Steuer-ID: 86 095 742 719", &["86 095 742 719"]),
    ("product key", "W269N-WFGWX-YVC9B-4J6C9-T83GX", &["WFGWX-YVC9B"]),
    ("licence key", "License key: LX7Q-99PD-ZK31-0MMV", &["LX7Q-99PD"]),
    ("bitlocker key", "recovery 290763-114862-550341-006512-714087-332519-418264-093181", &["290763-114862"]),
    ("password", "password: Gr0sser.Berg!77", &["Gr0sser.Berg"]),
    ("password in JSON", r#"{"user_password": "drei kleine Enten"}"#, &["drei kleine Enten"]),
    ("connection string", "Server=db;User Id=app;Password=k7!Qz-pp;", &["k7!Qz-pp"]),
    ("password option", "ledger.exe --password Wq72kkpl --silent", &["Wq72kkpl"]),
    ("password of sqlcmd", "sqlcmd -S db -U app -P Wq72kkpl", &["Wq72kkpl"]),
    ("url credentials", "fetching https://app:Zt5-pq81@updates.example.com/feed", &["Zt5-pq81"]),
    ("wi-fi key", "Key Content            : gelbe-Ente-204", &["gelbe-Ente-204"]),
    ("password hash", "$2b$12$^R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW", &["URNNX3kh2OPST9"]),
    ("nt hash", "x:500:aad3b435b51404eeaad3b435b51404ee:31d6cfe0d16ae931b73c59d7e0c089c0:::", &["31d6cfe0d16ae931"]),
    ("one-time code", "verification code: 481927", &["481927"]),
    ("bearer token", "Authorization: Bearer ^Vt8ZrK1q.9fQ2x7Lm4-Zp0Wd6Yb", &["9fQ2x7Lm4-Zp0Wd6Yb"]),
    ("basic credentials", "Authorization: Basic YXBwOlp0NS1wcTgx", &["YXBwOlp0NS1wcTgx"]),
    ("cookie", "Cookie: session=8c1d0e7fa93b; lang=de", &["8c1d0e7fa93b"]),
    ("session id", "JSESSIONID=8C1D0E7FA93B55D2A0C7", &["8C1D0E7FA93B55D2"]),
    ("api key", "api_key=^mX4v9Qs2Lr7Kt0Zb", &["mX4v9Qs2Lr7Kt0Zb"]),
    ("client secret", "CLIENT_SECRET: ^mX4v9Qs2-Lr7Kt0Zb.Pp3", &["mX4v9Qs2-Lr7Kt0Zb"]),
    ("token variable", "CI_DEPLOY_TOKEN=^mX4v9Qs2Lr7Kt0ZbPp3", &["mX4v9Qs2Lr7Kt0ZbPp3"]),
    ("url parameter", "GET https://x.example.com/cb?state=2&access_token=^mX4v9Qs2Lr7Kt0", &["mX4v9Qs2Lr7Kt0"]),
    ("signed address", "https://s.blob.example.net/c?sp=r&sig=^mX4v9Qs2%2BLr7Kt0Zb", &["mX4v9Qs2%2BLr7Kt0Zb"]),
    ("storage key", "AccountName=st;AccountKey=^mX4v9Qs2Lr7Kt0ZbPp3mX4v9Qs2Lr7Kt==;", &["mX4v9Qs2Lr7Kt0ZbPp3mX4v9"]),
    ("private key", "-----BEGIN RSA PRIVATE KEY----- ^MIIEowIBAAKCAQEAx7Vt", &["MIIEowIBAAKCAQEAx7Vt"]),
    ("ssh key", "ssh-ed25519 ^AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabg ko@nb", &["OMqqnkVzrm0SdG6UOoqKL"]),
    ("key material", "blob ^Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh3Gg0Ff9Dd7Ss4Aa1Ll8Ee5 end", &["Tt4Kp1Vv8Rr5Nn2Jj6"]),
    ("json web token", "^eyJhbGciOiJSUzI1NiJ9.^eyJ1c2VyIjoia28ifQ.^Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6", &["eyJ1c2VyIjoia28ifQ"]),
    ("github token", "gh^p_Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh3Gg0Ff9Dd7", &["Tt4Kp1Vv8Rr5"]),
    ("gitlab token", "gl^pat-Qm9Zx7Tt4Kp1Vv8Rr5Nn", &["Tt4Kp1Vv8Rr5"]),
    ("aws access key", "AK^IAZ5TQ7LMNX2PRVK4W", &["Z5TQ7LMNX2PRVK4W"]),
    ("aws secret key", "aws_secret_access_key=^Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh3Gg0Ff9Dd7Ss4A", &["Tt4Kp1Vv8Rr5"]),
    ("google key", "AI^zaSyQm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh3Gg0Ff9Dd", &["Tt4Kp1Vv8Rr5"]),
    ("slack token", "xo^xb-77120-Qm9Zx7Tt4Kp1Vv8", &["Qm9Zx7Tt4Kp1"]),
    ("slack webhook", "https://hooks.sl^ack.com/services/T07/B31/Qm9Zx7Tt4Kp1Vv8Rr5", &["Qm9Zx7Tt4Kp1Vv8Rr5"]),
    ("discord webhook", "https://discord.com/api/webhooks/99120/Qm9Zx7Tt4Kp1Vv8Rr5", &["Qm9Zx7Tt4Kp1Vv8Rr5"]),
    ("telegram token", "bot 802211456:AA^Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh3Gg0Ff9", &["Tt4Kp1Vv8Rr5"]),
    ("stripe key", "sk^_live_Qm9Zx7Tt4Kp1Vv8Rr5Nn", &["Tt4Kp1Vv8Rr5"]),
    ("openai key", "sk-^proj-Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6", &["Tt4Kp1Vv8Rr5"]),
    ("hugging face token", "hf^_QmZxTtKpVvRrNnJjHhGgFfDdSsAaLlEeWw", &["QmZxTtKpVvRrNnJj"]),
    ("npm token", "np^m_Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh3Gg0Ff9Dd7", &["Tt4Kp1Vv8Rr5"]),
    ("sendgrid key", "S^G.Qm9Zx7Tt4Kp1Vv8Rr5Nn.Jj6Hh3Gg0Ff9Dd7Ss4Aa1Ll8", &["Jj6Hh3Gg0Ff9Dd7"]),
    ("twilio key", "A^Cd41e88b2905a6b0f7c1e3d524f089a7c", &["d41e88b2905a6b0f"]),
    ("vault token", "hvs^.Qm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh", &["Tt4Kp1Vv8Rr5"]),
    ("databricks token", "da^pid41e88b2905a6b0f7c1e3d524f089a7c", &["d41e88b2905a6b0f"]),
    ("atlassian token", "AT^ATT3xQm9Zx7Tt4Kp1Vv8Rr5Nn2Jj6Hh=1D2C3B4A", &["Tt4Kp1Vv8Rr5"]),
    ("wallet key", "5^KJvsngHeMpm884wtkJNzQGaCErckhHJBGFsvd3VyK5qMZXj3hS", &["KJvsngHeMpm884wtk"]),
];

/// All private values.
pub fn all() -> Vec<Planted> {
    let plain = |text: &str| text.replace('^', "");
    let planted = |(kind, line, values): &(&'static str, &str, &[&str])| Planted {
        kind,
        line: plain(line),
        values: values.iter().map(|value| plain(value)).collect(),
    };
    LINES.iter().map(planted).collect()
}

/// The kinds whose values an output has, each with what stands around the first of them.
pub fn survivors(output: &str, planted: &[Planted]) -> Vec<String> {
    let lower = output.to_lowercase();
    let around = |at: usize| {
        let before: String = lower[..at].chars().rev().take(60).collect();
        before.chars().rev().chain(lower[at..].chars().take(60)).collect::<String>()
    };
    let of = |planted: &Planted| {
        let at = planted.values.iter().find_map(|value| lower.find(&value.to_lowercase()))?;
        Some(format!("{}: {:?}", planted.kind, around(at)))
    };
    planted.iter().filter_map(of).collect()
}
