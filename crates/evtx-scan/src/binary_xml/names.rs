//! Names of elements and attributes that mean something to the reader, UTF-16.

pub(crate) const EVENT: &[u8; 10] = b"E\0v\0e\0n\0t\0";
pub(crate) const SYSTEM: &[u8; 12] = b"S\0y\0s\0t\0e\0m\0";
pub(crate) const PROVIDER: &[u8] = b"P\0r\0o\0v\0i\0d\0e\0r\0";
pub(crate) const NAME: &[u8; 8] = b"N\0a\0m\0e\0";
pub(crate) const EVENT_ID: &[u8] = b"E\0v\0e\0n\0t\0I\0D\0";
pub(crate) const CHANNEL: &[u8] = b"C\0h\0a\0n\0n\0e\0l\0";
pub(crate) const COMPUTER: &[u8] = b"C\0o\0m\0p\0u\0t\0e\0r\0";
pub(crate) const TIME_CREATED: &[u8] = b"T\0i\0m\0e\0C\0r\0e\0a\0t\0e\0d\0";
pub(crate) const SYSTEM_TIME: &[u8; 20] = b"S\0y\0s\0t\0e\0m\0T\0i\0m\0e\0";
pub(crate) const EVENT_DATA: &[u8; 18] = b"E\0v\0e\0n\0t\0D\0a\0t\0a\0";
pub(crate) const USER_DATA: &[u8; 16] = b"U\0s\0e\0r\0D\0a\0t\0a\0";
pub(crate) const RENDERING_INFO: &[u8; 26] = b"R\0e\0n\0d\0e\0r\0i\0n\0g\0I\0n\0f\0o\0";
pub(crate) const DATA: &[u8; 8] = b"D\0a\0t\0a\0";
