//! Long work for Python: without the interpreter's lock, on threads of its own, ended by an interrupt.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crashsift::Progress;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often the calling thread looks for an interrupt and reports progress.
const INTERVAL: Duration = Duration::from_millis(50);

/// The progress of some work, and whether it is still wanted.
#[derive(Default)]
struct Watch {
    found: AtomicUsize,
    read: AtomicUsize,
    stopped: AtomicBool,
}

/// With what the work ends that is no longer wanted.
struct Stopped;

impl Progress for Watch {
    fn found(&self, count: usize) {
        self.found.store(count, Ordering::Relaxed);
    }

    fn read(&self) {
        self.read.fetch_add(1, Ordering::Relaxed);
        if self.stopped.load(Ordering::Relaxed) {
            // Not a panic of which a hook would know: all threads of the work end at their next file.
            resume_unwind(Box::new(Stopped));
        }
    }
}

/// Does `work` on `jobs` threads (0: as many as processors) while other threads of Python go on. `progress` is called in the
/// calling thread with the number of files that were read and that of all files.
///
/// # Errors
/// An interrupt's exception, or that of `progress`; the work has ended then. `RuntimeError` when the work panicked.
pub fn watched<T: Send>(
    py: Python<'_>,
    jobs: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let watch = &watch;
            let worker = thread::Builder::new().stack_size(crashsift::STACK).spawn_scoped(scope, move || {
                // Dropped when the work ends, however it does.
                let _done = done;
                let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).use_current_thread().build();
                threads.map(|threads| threads.install(|| work(watch)))
            })?;
            let mut last = (0, 0);
            let mut outcome = Ok(());
            while outcome.is_ok() && is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                outcome = Python::attach(|py| tell(py, watch, progress, &mut last));
            }
            watch.stopped.store(outcome.is_err(), Ordering::Relaxed);
            let ended = worker.join();
            outcome?;
            Python::attach(|py| tell(py, watch, progress, &mut last))?;
            match ended {
                Ok(Ok(value)) => Ok(value),
                Ok(Err(error)) => Err(PyRuntimeError::new_err(format!("threads: {error}"))),
                Err(_) => Err(PyRuntimeError::new_err("this is a defect of crashsift, please report it")),
            }
        })
    })
}

/// Reports the progress, if there is any, and raises what a signal asks for.
fn tell(py: Python<'_>, watch: &Watch, progress: Option<&Py<PyAny>>, last: &mut (usize, usize)) -> PyResult<()> {
    py.check_signals()?;
    let now = (watch.read.load(Ordering::Relaxed), watch.found.load(Ordering::Relaxed));
    if let Some(progress) = progress.filter(|_| now != *last) {
        *last = now;
        progress.call1(py, now)?;
    }
    Ok(())
}
