"""Stands in for the other sides of the recipes in contrib/recipes: ticket systems, Splunk, Elasticsearch, Sentry, a mail server
and a file server. It answers as their documentation says, whose addresses are in the pages of docs/recipes, and checks every
request by it: method, path, parameters, headers, content type and the body's fields.

    stand_in.py SERVICE FOLDER [FILE...]

SERVICE is a name of `SERVICES` below. FOLDER gets `port` once the service listens, `requests.jsonl` with all requests in their
order (for mail: `mails.jsonl`), and `problems` with a line for each that was not as documented, which is refused. FILEs are the
attachments of the ticket, or what the file server has. It runs until it is ended.

Of what a service does with what it is given, nothing is here: no search, no rendering, no access rights.
"""

import base64
import email
import email.policy
import json
import os
import re
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

USER, PASSWORD = "agent@example.com", 'p"a\\ss word'
RECORD = "9d385017c611228701d22104cc95c371"
# Names as strangers give them; one for each file, then over again.
NAMES = ["it's a \"dump\" $(touch pwned); x.dmp", "..\\..\\up/../and\nover.dmp", "-rf ´ü [1] %41.dmp", ".."]


class Wrong(Exception):
    """The request is not as documented."""


def want(holds, what):
    if not holds:
        raise Wrong(what)


def exactly(found, needed, optional=()):
    """The keys of an object or of a query: all that are needed, and no unknown one."""
    want(set(needed) <= set(found), f"needed {sorted(needed)}, found {sorted(found)}")
    want(set(found) <= set(needed) | set(optional), f"not documented: {sorted(set(found) - set(needed) - set(optional))}")


class Request:
    def __init__(self, handler):
        self.method = handler.command
        parts = urlsplit(handler.path)
        self.path = unquote(parts.path)
        self.query = {key: values[-1] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
        self.headers = {key.lower(): value for key, value in handler.headers.items()}
        self.body = handler.rfile.read(int(self.headers.get("content-length", 0)))
        self.base = f"http://{self.headers.get('host')}"

    def type(self, expected):
        found = self.headers.get("content-type", "")
        want(found.split(";")[0].strip() == expected, f"content type {found!r}, not {expected!r}")

    def json(self):
        self.type("application/json")
        return json.loads(self.body)

    def basic(self, user, password):
        expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        want(self.headers.get("authorization") == expected, "not this user and password")


# The computer of an attachment: a ticket has its pseudonym.
COMPUTER = "PC-17"


def note(text):
    """A note holds the verdict, and nothing that a ticket system acts on."""
    want(isinstance(text, str) and "incident: " in text and "cause: " in text, "a note without a verdict")
    want(COMPUTER not in text, "the name of a computer")
    want(not re.search(r"\[/?code\]|\[~|\x00|\x1b", text, re.I), "a note with markup of the ticket system")


def markdown(body):
    text = body.decode()
    want(text.startswith("# crashsift: "), "not the Markdown report")
    want(COMPUTER not in text, "the name of a computer")
    want("/tmp/" not in text, "a path of the computer that analyzed")


# ---------------------------------------------------------------- ticket systems


class Ticket:
    def __init__(self, folder, files):
        self.files = files
        self.names = [NAMES[at % len(NAMES)] for at in range(len(files))]

    def content(self, at):
        with open(self.files[at], "rb") as file:
            return 200, "application/octet-stream", file.read()


class ServiceNow(Ticket):
    """Table API and Attachment API."""

    def answer(self, ask):
        ask.basic(USER, PASSWORD)
        at = f"{ask.method} {ask.path}"
        if at == "GET /api/now/table/incident":
            exactly(ask.query, ["sysparm_query"], ["sysparm_fields", "sysparm_limit"])
            want(ask.query["sysparm_query"] == "number=INC0010023", "not the query for the number")
            return 200, {"result": [{"sys_id": RECORD}]}
        if at == "GET /api/now/attachment":
            exactly(ask.query, ["sysparm_query"], ["sysparm_limit", "sysparm_offset"])
            want(ask.query["sysparm_query"] == f"table_name=incident^table_sys_id={RECORD}", "not the query for attachments")
            listed = [
                {"sys_id": f"{at:032x}", "file_name": name, "table_name": "incident", "table_sys_id": RECORD,
                 "content_type": "application/octet-stream", "size_bytes": str(os.path.getsize(self.files[at])),
                 "download_link": f"{ask.base}/api/now/attachment/{at:032x}/file"}
                for at, name in enumerate(self.names)
            ]
            # What an earlier run attached.
            own = {"sys_id": "f" * 32, "file_name": "crashsift-report.md", "table_name": "incident", "table_sys_id": RECORD}
            return 200, {"result": [*listed, own]}
        if found := re.fullmatch(r"GET /api/now/attachment/([0-9a-f]{32})/file", at):
            return self.content(int(found[1], 16))
        if at == "POST /api/now/attachment/file":
            exactly(ask.query, ["table_name", "table_sys_id", "file_name"], ["encryption_context"])
            want(ask.query == {"table_name": "incident", "table_sys_id": RECORD, "file_name": "crashsift-report.md"}, "another file")
            ask.type("text/markdown")
            markdown(ask.body)
            return 201, {"result": {"sys_id": "e" * 32}}
        if at == f"PATCH /api/now/table/incident/{RECORD}":
            exactly(ask.query, [], ["sysparm_fields"])
            fields = ask.json()
            exactly(fields, ["work_notes"])
            note(fields["work_notes"])
            return 200, {"result": {"sys_id": RECORD}}
        raise Wrong(f"no such call: {at}")


class JiraServiceManagement(Ticket):
    """Requests and attachments of the service desk API. With STRANGER in the environment, an attachment is on another site."""

    def answer(self, ask):
        ask.basic(USER, PASSWORD)
        at = f"{ask.method} {ask.path}"
        api = "/rest/servicedeskapi"
        if at == f"GET {api}/request/HELP-42":
            return 200, {"issueId": "10042", "issueKey": "HELP-42", "serviceDeskId": "7"}
        if at == f"GET {api}/request/HELP-42/attachment":
            exactly(ask.query, [], ["start", "limit"])
            start = int(ask.query.get("start", 0))
            # A page has one attachment, fewer than are asked for, as the documentation allows.
            values = [
                {"filename": name, "size": os.path.getsize(self.files[at]), "mimeType": "application/octet-stream",
                 "_links": {"content": f"{os.environ.get('STRANGER', ask.base)}/secure/attachment/{at}/{quote(name, safe='')}"}}
                for at, name in enumerate(self.names)
            ][start:start + 1]
            return 200, {"start": start, "limit": 1, "size": len(values), "isLastPage": start + 1 >= len(self.names), "values": values}
        if found := re.fullmatch(r"GET /secure/attachment/(\d+)/.*", at, re.S):
            return self.content(int(found[1]))
        if at == f"POST {api}/servicedesk/7/attachTemporaryFile":
            want(ask.headers.get("x-atlassian-token") == "no-check", "no header X-Atlassian-Token: no-check")
            ask.type("multipart/form-data")
            form = email.message_from_bytes(
                b"Content-Type: " + ask.headers["content-type"].encode() + b"\r\n\r\n" + ask.body, policy=email.policy.HTTP)
            parts = list(form.iter_parts())
            want([part.get_param("name", header="content-disposition") for part in parts] == ["file"], "not one field `file`")
            want(parts[0].get_filename() == "crashsift-report.md", "another file")
            markdown(parts[0].get_payload(decode=True))
            return 201, {"temporaryAttachments": [{"temporaryAttachmentId": "temp-1", "fileName": "crashsift-report.md"}]}
        if at == f"POST {api}/request/HELP-42/attachment":
            fields = ask.json()
            exactly(fields, ["temporaryAttachmentIds", "public"], ["additionalComment"])
            want(fields["temporaryAttachmentIds"] == ["temp-1"], "not the temporary attachment")
            want(fields["public"] is False, "customers would see the note")
            exactly(fields["additionalComment"], ["body"])
            text = fields["additionalComment"]["body"]
            want(text.startswith("{noformat}\n") and text.endswith("{noformat}") and text.count("{noformat}") == 2, "not one block")
            note(text)
            return 201, {"attachments": {}, "comment": {"id": "1"}}
        raise Wrong(f"no such call: {at}")


class Zendesk(Ticket):
    """Tickets, ticket comments and uploads."""

    def answer(self, ask):
        ask.basic(f"{USER}/token", PASSWORD)
        at = f"{ask.method} {ask.path}"
        if at == "GET /api/v2/tickets/35436/comments.json":
            exactly(ask.query, [], ["page[size]", "page[after]"])
            first = int(ask.query.get("page[after]", 0))
            more = first + 1 < len(self.names)
            attachments = [
                {"id": at, "file_name": name, "size": os.path.getsize(self.files[at]), "content_type": "application/octet-stream",
                 "content_url": f"{ask.base}/attachments/token/{at}/?name={quote(name)}"}
                for at, name in enumerate(self.names)
            ][first:first + 1]
            return 200, {
                "comments": [{"id": first, "attachments": attachments, "public": True}, {"id": 1000 + first, "attachments": []}],
                "meta": {"has_more": more},
                "links": {"next": f"{ask.base}{ask.path}?page[size]=100&page[after]={first + 1}" if more else None},
            }
        if found := re.fullmatch(r"GET /attachments/token/(\d+)/", at):
            return self.content(int(found[1]))
        if at in ("POST /api/v2/uploads.json", "POST /api/v2/uploads"):
            exactly(ask.query, ["filename"], ["token"])
            want(ask.query["filename"] == "crashsift-report.md", "another file")
            ask.type("text/markdown")
            markdown(ask.body)
            return 201, {"upload": {"token": "6bk3gql82em5nmf", "attachments": []}}
        if at in ("PUT /api/v2/tickets/35436.json", "PUT /api/v2/tickets/35436"):
            fields = ask.json()
            exactly(fields, ["ticket"])
            exactly(fields["ticket"], ["comment"])
            comment = fields["ticket"]["comment"]
            exactly(comment, ["body", "public", "uploads"])
            want(comment["public"] is False, "customers would see the note")
            want(comment["uploads"] == ["6bk3gql82em5nmf"], "not the upload")
            note(comment["body"])
            return 200, {"ticket": {"id": 35436}, "audit": {}}
        raise Wrong(f"no such call: {at}")


# ---------------------------------------------------------------- where events go


class Splunk:
    """HTTP Event Collector: JSON objects, one after the other."""

    def __init__(self, folder, files):
        pass

    def answer(self, ask):
        want(f"{ask.method} {ask.path}" == "POST /services/collector/event", f"no such call: {ask.method} {ask.path}")
        want(ask.headers.get("authorization") == "Splunk 12345678-1234-1234-1234-1234567890AB", "not the token")
        want(len(ask.body) < 1_000_000, "more than older versions take at once")
        text, at, decoder = ask.body.decode(), 0, json.JSONDecoder()
        while text[at:].strip():
            at += len(text[at:]) - len(text[at:].lstrip())
            event, at = decoder.raw_decode(text, at)
            exactly(event, ["event"], ["time", "host", "source", "sourcetype", "index", "fields"])
            want(event["event"] not in ("", None), "an empty event")
            want(isinstance(event.get("time", 0), (int, float)), "time is no number")
            if "time" in event:
                want(1.5e9 < event["time"] < 2e9, f"not seconds since 1970: {event['time']}")
            want(all(isinstance(event[key], str) for key in ("host", "source", "sourcetype", "index") if key in event), "no string")
        return 200, {"text": "Success", "code": 0}


class Elastic:
    """Index templates and the bulk API; documents are held against the types of the template."""

    TYPES = {
        "date": lambda value: isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value),
        "keyword": lambda value: isinstance(value, str),
        "match_only_text": lambda value: isinstance(value, str),
        "long": lambda value: isinstance(value, int) and not isinstance(value, bool),
        "float": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
        "boolean": lambda value: isinstance(value, bool),
    }

    def __init__(self, folder, files):
        self.properties = {}

    def check(self, document, properties, path=""):
        for key, value in document.items():
            mapping = properties.get(key)
            if mapping is None:
                continue
            if "properties" in mapping:
                want(isinstance(value, dict), f"{path}{key} is no object")
                self.check(value, mapping["properties"], f"{path}{key}.")
            else:
                # A field can have several values.
                for one in value if isinstance(value, list) else [value]:
                    want(self.TYPES[mapping["type"]](one), f"{path}{key} is no {mapping['type']}: {one!r}")

    def answer(self, ask):
        want(ask.headers.get("authorization") == "ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==", "not the key")
        at = f"{ask.method} {ask.path}"
        if at == "PUT /_index_template/crashsift-incidents":
            template = ask.json()
            exactly(template, ["index_patterns"], ["template", "priority", "composed_of", "version", "_meta", "data_stream"])
            exactly(template["template"], [], ["settings", "mappings", "aliases"])
            self.properties = template["template"]["mappings"]["properties"]
            return 200, {"acknowledged": True}
        if at == "POST /crashsift-incidents/_bulk":
            ask.type("application/x-ndjson")
            want(ask.body.endswith(b"\n"), "the last line has no end")
            want(self.properties, "documents before the template")
            lines = [json.loads(line) for line in ask.body.decode().splitlines()]
            want(len(lines) % 2 == 0, "an action without a document")
            items = []
            for action, document in zip(lines[::2], lines[1::2]):
                exactly(action, ["index"])
                exactly(action["index"], ["_id"], ["_index"])
                want("@timestamp" in document, "no @timestamp")
                self.check(document, self.properties)
                items.append({"index": {"_index": "crashsift-incidents", "_id": action["index"]["_id"], "status": 201}})
            return 200, {"took": 1, "errors": False, "items": items}
        raise Wrong(f"no such call: {at}")


class Sentry:
    """Envelopes. The first one is put off with 429, as where a limit is reached."""

    LEVELS = ("fatal", "error", "warning", "info", "debug")

    def __init__(self, folder, files):
        self.put_off = False

    def event(self, event, identifier):
        want(re.fullmatch(r"[0-9a-f]{32}", event["event_id"]) and event["event_id"] == identifier, "not the id of the envelope")
        want(Elastic.TYPES["date"](event["timestamp"]), "no timestamp")
        want(event["platform"] in ("other", "native", "c", "csharp", "python"), "no platform")
        want(event.get("level") in self.LEVELS, "no level")
        exactly(event, ["event_id", "timestamp", "platform"],
                ["level", "logger", "server_name", "fingerprint", "logentry", "exception", "tags", "extra", "release"])
        want(all(isinstance(part, str) for part in event["fingerprint"]), "a fingerprint that is no text")
        for key, value in event["tags"].items():
            want(re.fullmatch(r"[A-Za-z0-9_.:-]{1,200}", key) and len(key) <= 32, f"not the name of a tag: {key}")
            want(isinstance(value, str) and value and len(value) <= 200 and "\n" not in value, f"not the value of a tag: {value!r}")
        for value in event["exception"]["values"]:
            exactly(value, ["type", "value"], ["module", "mechanism", "stacktrace"])
            frames = value.get("stacktrace", {"frames": []})["frames"]
            for frame in frames:
                exactly(frame, ["function"], ["package", "filename", "lineno", "instruction_addr"])

    def answer(self, ask):
        want(f"{ask.method} {ask.path}" == "POST /api/42/envelope/", f"no such call: {ask.method} {ask.path}")
        ask.type("application/x-sentry-envelope")
        scheme, _, rest = ask.headers.get("x-sentry-auth", "").partition(" ")
        auth = dict(part.strip().split("=", 1) for part in rest.split(","))
        want(scheme == "Sentry" and auth.get("sentry_version") == "7" and auth.get("sentry_key") == "0123456789abcdef0123456789abcdef",
             "not the key")
        want("sentry_client" in auth, "no client")
        if not self.put_off:
            self.put_off = True
            return 429, {"detail": "too many"}, {"Retry-After": "1"}
        header, _, rest = ask.body.partition(b"\n")
        identifier = json.loads(header)["event_id"]
        kinds = []
        while rest:
            header, _, rest = rest.partition(b"\n")
            item = json.loads(header)
            payload, rest = rest[:item["length"]], rest[item["length"]:]
            want(rest[:1] in (b"", b"\n"), "an item is longer than its length")
            rest = rest[1:]
            kinds.append(item["type"])
            content = json.loads(payload)
            if item["type"] == "event":
                self.event(content, identifier)
            else:
                exactly(item, ["type", "length", "filename"], ["content_type", "attachment_type"])
        want(kinds == ["event", "attachment"], f"items: {kinds}")
        return 200, {"id": identifier}


class Files:
    """What a pipeline downloads."""

    def __init__(self, folder, files):
        self.files = {f"/{os.path.basename(path)}": path for path in files}

    def answer(self, ask):
        want("authorization" not in ask.headers, "a password for another site")
        want(ask.method == "GET" and ask.path in self.files, f"no such file: {ask.path}")
        with open(self.files[ask.path], "rb") as file:
            return 200, "application/octet-stream", file.read()


# ---------------------------------------------------------------- mail


def mail_handler(folder):
    """RFC 5321 as far as a client needs it. Mail to refused@example.com is refused."""

    class Mail(socketserver.StreamRequestHandler):
        def say(self, line):
            self.wfile.write(line.encode() + b"\r\n")

        def handle(self):
            sender, recipients = None, []
            self.say("220 stand-in")
            while line := self.rfile.readline():
                text = line.decode().rstrip("\r\n")
                verb = text[:4].upper()
                if verb in ("EHLO", "HELO"):
                    self.say("250 stand-in")
                elif verb == "MAIL":
                    sender = re.search("<(.*?)>", text)[1]
                    self.say("250 ok")
                elif verb == "RCPT":
                    recipients.append(re.search("<(.*?)>", text)[1])
                    self.say("550 no such user" if recipients[-1] == "refused@example.com" else "250 ok")
                elif verb == "DATA":
                    self.say("354 go on")
                    lines = []
                    while (data := self.rfile.readline()) not in (b".\r\n", b""):
                        lines.append(data[1:] if data.startswith(b".") else data)
                    try:
                        keep_mail(folder, sender, recipients, b"".join(lines))
                        self.say("250 ok")
                    except Wrong as wrong:
                        problem(folder, str(wrong))
                        self.say("554 refused")
                elif verb == "QUIT":
                    self.say("221 bye")
                    return
                else:
                    self.say("502 not known")

    return Mail


def keep_mail(folder, sender, recipients, data):
    lines = data.split(b"\r\n")
    want(all(b"\n" not in line and b"\r" not in line for line in lines), "a line that does not end in CR LF")
    want(all(len(line) <= 998 for line in lines), "a line of more than 998 bytes")
    message = email.message_from_bytes(data, policy=email.policy.SMTP)
    for header in ("From", "To", "Date", "Message-ID", "Subject", "MIME-Version", "Content-Type"):
        want(message[header], f"no header {header}")
    want(not message.defects, f"defects: {message.defects}")
    append(folder, "mails.jsonl", {
        "sender": sender, "recipients": recipients, "from": message["From"], "to": message["To"],
        "subject": message["Subject"], "text": message.get_content(),
    })


# ---------------------------------------------------------------- the server

SERVICES = {
    "servicenow": ServiceNow,
    "jira-service-management": JiraServiceManagement,
    "zendesk": Zendesk,
    "splunk": Splunk,
    "elastic": Elastic,
    "sentry": Sentry,
    "files": Files,
    "mail": None,
}
LOCK = threading.Lock()


def append(folder, name, value):
    with LOCK, open(os.path.join(folder, name), "a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\n")


def problem(folder, text):
    append(folder, "problems", text)


def http_handler(folder, service):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def handle_any(self):
            ask = Request(self)
            append(folder, "requests.jsonl", {
                "method": ask.method, "path": ask.path, "query": ask.query, "headers": ask.headers,
                "body": ask.body.decode(errors="replace"),
            })
            more = {}
            try:
                answer = service.answer(ask)
                if isinstance(answer[1], str):
                    status, kind, body = answer
                else:
                    status, content, *rest = answer
                    kind, body = "application/json", json.dumps(content).encode()
                    more = rest[0] if rest else {}
            except (Wrong, KeyError, ValueError, TypeError, IndexError) as wrong:
                problem(folder, f"{ask.method} {ask.path}: {type(wrong).__name__}: {wrong}")
                status, kind, body = 400, "application/json", json.dumps({"error": str(wrong)}).encode()
            self.send_response(status)
            for key, value in {"Content-Type": kind, "Content-Length": str(len(body)), **more}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    return Handler


def main():
    name, folder, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    if name == "mail":
        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), mail_handler(folder))
    else:
        server = ThreadingHTTPServer(("127.0.0.1", 0), http_handler(folder, SERVICES[name](folder, files)))
    server.daemon_threads = True
    port = os.path.join(folder, "port")
    with open(f"{port}.part", "w", encoding="ascii") as file:
        file.write(str(server.server_address[1]))
    os.rename(f"{port}.part", port)
    server.serve_forever()


if __name__ == "__main__":
    main()
