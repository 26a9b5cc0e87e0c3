//! A browser that tests use as people do: Chromium, driven by its driver with the WebDriver protocol over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use data_encoding::BASE64;
use serde_json::{Value, json};

/// The time limit of one command.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one window; it ends with the value.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts a browser; `None` where it or its driver is not installed, which is printed.
    pub fn start() -> Option<Self> {
        let driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut driver) = driver else {
            println!("skipped: no chromedriver (apt-get install chromium-driver)");
            return None;
        };
        // The rest of its output is read, too, so that it never waits for a reader.
        let mut lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok());
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self { driver, port: port.expect("the driver names its port"), session: String::new() };
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = match browser.answer("POST", "/session", &wanted) {
            Ok(session) => session,
            Err(error) if error.contains("cannot find Chrome binary") => {
                println!("skipped: no Chromium (apt-get install chromium)");
                return None;
            }
            Err(error) => panic!("{error}"),
        };
        browser.session = format!("/session/{}", session["sessionId"].as_str().expect("a session"));
        Some(browser)
    }

    /// Opens a file.
    pub fn open(&self, file: &Path) {
        self.tell("/url", &json!({"url": format!("file://{}", file.display())}));
    }

    /// Goes from the page into its first frame: what is done from now on is done there.
    pub fn enter_frame(&self) {
        self.tell("/frame", &json!({"id": 0}));
    }

    /// Runs a script's body in the page, and returns what it returns.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.tell("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// A command of the developer tools.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.tell("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Presses keys one after the other, wherever the focus is.
    pub fn press(&self, keys: &[&str]) {
        let actions = keys
            .iter()
            .flat_map(|key| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]);
        let actions: Vec<Value> = actions.collect();
        self.tell("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// Types a text, wherever the focus is.
    pub fn type_text(&self, text: &str) {
        let keys: Vec<String> = text.chars().map(String::from).collect();
        self.press(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// The width and height of the window, pixels.
    pub fn resize(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Whether the reader's system is dark.
    pub fn prefer_dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    /// How many pages of A4 the page has on paper.
    pub fn pages_on_paper(&self) -> usize {
        let printed = self.tell("/print", &json!({"page": {"width": 21.0, "height": 29.7}}));
        let pdf = BASE64.decode(printed.as_str().expect("a PDF").as_bytes()).expect("a PDF");
        let pages = |what: &[u8]| pdf.windows(what.len()).filter(|bytes| *bytes == what).count();
        pages(b"/Type /Page") - pages(b"/Type /Pages")
    }

    /// What the console has shown since it was asked last: errors, and violations of the policy.
    pub fn messages(&self) -> Vec<String> {
        let messages = self.tell("/se/log", &json!({"type": "browser"}));
        let texts = messages.as_array().into_iter().flatten().map(|message| message["message"].to_string());
        texts.collect()
    }

    #[track_caller]
    fn tell(&self, path: &str, body: &Value) -> Value {
        self.request("POST", &format!("{}{path}", self.session), body)
    }

    /// Sends a command, and returns its value.
    #[track_caller]
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        self.answer(method, path, body).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Sends a command, and returns its value, or the driver's message.
    fn answer(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let body = body.to_string();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all([head.as_bytes(), body.as_bytes()].concat().as_slice()).expect("the driver reads");
        let mut answer = Vec::new();
        // The driver may keep the connection: the answer ends where its length says.
        let mut reader = BufReader::new(stream);
        let mut rest = None;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("the driver answers");
            if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                rest = length.trim().parse().ok();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        reader.take(rest.expect("a length")).read_to_end(&mut answer).expect("the driver answers");
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        match answer["value"]["error"].is_null() {
            true => Ok(answer["value"].take()),
            false => Err(answer["value"]["message"].to_string()),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session, the driver by itself does not.
        if !self.session.is_empty() && !std::thread::panicking() {
            self.request("DELETE", &self.session, &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
