//! Options of the LMDB engine. The defaults suit every database; the map size is a reservation, not a limit.

/// How the kernel is told to treat page faults of the memory map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReadAhead {
    /// Off if the data is larger than the machine's memory when the folder is opened, on otherwise.
    #[default]
    Auto,
    /// Read neighbouring pages in advance: best for scans.
    On,
    /// Read single pages: best for random reads of data that exceeds the memory.
    Off,
}

/// When a batch that was written survives a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WriteSync {
    /// When the write returns. The file is consistent at every moment: new pages are on the disk before the page that
    /// makes them count.
    #[default]
    EveryWrite,
    /// After [`Store::sync`](crate::Store::sync). Writes are faster, but until then the system may bring pages to the
    /// disk in any order, so that a power failure can damage the whole file: for data that can be made anew.
    OnDemand,
}

/// How the LMDB engine is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of address space to reserve: 1 TiB by default. It costs neither memory nor disk; when the process may not
    /// have so much, a smaller reservation is made, and grown as the data grows.
    pub reserve_bytes: usize,
    /// Most snapshots alive at once: 1,024 by default. Then [`Error::ReadersFull`](crate::Error::ReadersFull).
    pub readers_max: u32,
    /// Kernel read-ahead.
    pub read_ahead: ReadAhead,
    /// When writes are brought to the disk.
    pub write_sync: WriteSync,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reserve_bytes: usize::try_from(1_u64 << 40).unwrap_or(1 << 30),
            readers_max: 1024,
            read_ahead: ReadAhead::Auto,
            write_sync: WriteSync::EveryWrite,
        }
    }
}
