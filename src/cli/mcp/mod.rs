//! `crashsift mcp`: a server of the Model Context Protocol on standard input and output, for assistants.
//!
//! It only reads, and only below the folders that are given when it starts. Everything that artifacts say is marked as data
//! that is not to be trusted.

mod confined;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::ServiceExt;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};

use self::confined::Folders;
use self::tools::Tools;
use super::judging::Judging;
use super::stream::{self, usage};
use super::{Exit, redaction};

/// Stack of the threads that analyze, bytes: as that of the program's working thread.
const STACK: usize = 8 << 20;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders and files that may be read: nothing outside of them is.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Give answers with the names and secrets in them. Without this option they are redacted, as with `--redact`.
    #[arg(long, conflicts_with_all = ["redact", "redact_map"])]
    no_redact: bool,

    #[command(flatten)]
    judging: Judging,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let folders = Folders::new(&arguments.paths).map_err(usage)?;
    let rules = arguments.judging.rules()?;
    let (_, mut options) = arguments.judging.options(&[])?;
    if !arguments.no_redact {
        options.redaction.get_or_insert_default();
    }
    let key = options.redaction.clone();
    let server = Server { tools: Arc::new(Tools::new(folders, rules, options)) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().thread_stack_size(STACK).build();
    let runtime = runtime.map_err(|error| usage(format!("the server can't start: {error}")))?;
    let served = runtime.block_on(async {
        let running =
            server.serve((tokio::io::stdin(), tokio::io::stdout())).await.map_err(|error| error.to_string())?;
        running.waiting().await.map_err(|error| error.to_string())
    });
    // An answer that nobody waits for any more is not waited for.
    runtime.shutdown_background();
    redaction::save(key.as_ref())?;
    match served {
        Ok(_) => Ok(Exit::Success),
        Err(error) => {
            stream::note(&format!("mcp: {error}"));
            Ok(Exit::Internal)
        }
    }
}

/// The server.
struct Server {
    tools: Arc<Tools>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("crashsift", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(tools::INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::definitions()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = Arc::clone(&self.tools);
        let arguments = request.arguments.unwrap_or_default();
        let answered = tokio::task::spawn_blocking(move || tools.call(&request.name, &arguments)).await;
        match answered {
            Ok(Some(Ok(text))) => Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into()),
            Ok(Some(Err(reason))) => Ok(CallToolResult::error(vec![ContentBlock::text(reason)]).into()),
            Ok(None) => Err(ErrorData::invalid_params("there is no such tool", None)),
            Err(_) => Err(ErrorData::internal_error("a defect of crashsift; its standard error has the place", None)),
        }
    }
}
