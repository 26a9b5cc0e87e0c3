//! The request to change a device's power that was not done (stop 0x9F): which driver holds it.
//!
//! Source: the structures `IRP`, `IO_STACK_LOCATION`, `DEVICE_OBJECT` and `DRIVER_OBJECT` of `wdm.h`, for 64-bit systems;
//! Microsoft's page of bug check 0x9F on its parameters.

use std::sync::Arc;

use super::layout::KERNEL_SPACE;
use super::memory::Memory;
use evidence::{Address, KernelDriver, PowerRequest};
use untrusted::bytes::{u16_at, u64_at};

/// An object's type, in its first 16 bits.
mod kind {
    pub const DEVICE: u16 = 3;
    pub const DRIVER: u16 = 4;
    pub const REQUEST: u16 = 6;
}

/// `IRP`: as much of it as is read; number of places in its stack; the current place's number; its address.
const REQUEST_LENGTH: usize = 0xC0;
const PLACES: usize = 0x42;
const CURRENT_PLACE: usize = 0x43;
const PLACE_ADDRESS: usize = 0xB8;
/// `IO_STACK_LOCATION`: its length, the kind of request in its first byte, and the device.
const PLACE_LENGTH: usize = 0x48;
const POWER: u8 = 0x16;
const PLACE_DEVICE: usize = 0x28;
/// `DEVICE_OBJECT`: the driver.
const DEVICE_DRIVER: usize = 0x08;
/// `DRIVER_OBJECT`: where its image begins.
const DRIVER_START: usize = 0x18;

/// The request that the parameters of stop 0x9F name; `None` where they name none, or the dump holds nothing of it.
pub(super) fn request(parameters: [u64; 4], drivers: &[KernelDriver], memory: &mut dyn Memory) -> Option<PowerRequest> {
    let [reason, device, _, last] = parameters;
    let (holder, bus_driver) = match reason {
        // The device that was freed with a request outstanding.
        1 => (driver_of(device, drivers, memory), None),
        // The driver that completed a request and did not ask for the next.
        2 => (driver(last, drivers, memory), driver_of(device, drivers, memory)),
        // The last parameter is the request, and the device that of the bus.
        3 => (holder(last, drivers, memory), driver_of(device, drivers, memory)),
        _ => (None, None),
    };
    (holder.is_some() || bus_driver.is_some()).then_some(PowerRequest { holder, bus_driver })
}

/// The driver that holds the request at `address`: the one of the current place in the request's stack.
fn holder(address: u64, drivers: &[KernelDriver], memory: &mut dyn Memory) -> Option<Arc<str>> {
    let request = object(address, kind::REQUEST, REQUEST_LENGTH, memory)?;
    let (places, current) = (*request.get(PLACES)?, *request.get(CURRENT_PLACE)?);
    // Above the last place the request has come back to its sender.
    if !(1..=places).contains(&current) {
        return None;
    }
    let place = memory.read_all(kernel(u64_at(&request, PLACE_ADDRESS)?)?, PLACE_LENGTH)?;
    if place.first() != Some(&POWER) {
        return None;
    }
    driver_of(u64_at(&place, PLACE_DEVICE)?, drivers, memory)
}

/// The driver of the device at `address`.
fn driver_of(address: u64, drivers: &[KernelDriver], memory: &mut dyn Memory) -> Option<Arc<str>> {
    let device = object(address, kind::DEVICE, DEVICE_DRIVER.checked_add(8)?, memory)?;
    driver(u64_at(&device, DEVICE_DRIVER)?, drivers, memory)
}

/// The loaded driver whose object is at `address`.
fn driver(address: u64, drivers: &[KernelDriver], memory: &mut dyn Memory) -> Option<Arc<str>> {
    let object = object(address, kind::DRIVER, DRIVER_START.checked_add(8)?, memory)?;
    let start = Address(u64_at(&object, DRIVER_START)?);
    drivers.iter().find(|driver| driver.base == start).map(|driver| Arc::clone(&driver.name))
}

fn object(address: u64, kind: u16, length: usize, memory: &mut dyn Memory) -> Option<Vec<u8>> {
    memory.read_all(kernel(address)?, length).filter(|bytes| u16_at(bytes, 0) == Some(kind))
}

fn kernel(address: u64) -> Option<u64> {
    (address >= KERNEL_SPACE.of(true)).then_some(address)
}
