// Package broker runs NATS JetStream inside tapedeck's own process, with file
// storage under the data directory.
//
// # What an acknowledgement means
//
// A PubAck of a stream with file storage and one replica, as local mode has them, is sent after
// write(2) of the message to the stream's block file has returned. In nats-server 2.15 the server
// stores the message first and answers afterwards (stream.processJetStreamMsg). The file store
// appends the record to its cache. For streams of one replica it flushes in place (fileStore.fip,
// AsyncFlush unset): it writes the cache out before the store call returns
// (msgBlock.flushPendingMsgsLocked → WriteAt). So:
//
//   - Killing the process at any moment loses no acknowledged message:
//     the bytes are in the kernel. On the next start the server
//     rebuilds its index from the block files if the index is behind.
//   - A loss of power, or a crash of the operating system, may lose what was
//     written since the last fsync, which is done every Options.SyncInterval,
//     2 minutes by default. With Options.SyncAlways the server does an fsync
//     after each such write and before the PubAck, at a fraction of the speed.
//   - A write that fails (a full disk) is not acknowledged at all: the server
//     logs it, sends no answer, and the publisher runs into its timeout. The
//     stream refuses messages until the server is restarted.
//   - A stream with PersistMode "async" has none of these guarantees: the server
//     acknowledges before the write, and turns SyncAlways off for that stream.
package broker
