package settings

import "tapedeck/ingest/jetstream"

// ServerDurability sets the guarantee of an acknowledgement, for the
// commands that run servers. docs/benchmarks.md lists the cost of each value.
type ServerDurability struct {
	Durability string `help:"What an acknowledgement survives: memory (nothing needs to fail but NATS), written (any process killed), fsynced (a power cut)." enum:"memory,written,fsynced" default:"written" env:"TAPEDECK_DURABILITY"`
}

// Guarantee returns what an acknowledgement survives.
func (d ServerDurability) Guarantee() jetstream.Durability { return jetstream.Durability(d.Durability) }

// Sync reports whether writes are synced to disk.
func (d ServerDurability) Sync() bool { return d.Guarantee() == jetstream.Fsynced }

// SpoolDurability sets the same for the spool of recording commands. The server has its
// own setting.
type SpoolDurability struct {
	Durability string `help:"What a block in this command's spool survives: written (any process killed) or fsynced (a power cut). The server has its own setting." enum:"written,fsynced" default:"written"`
}

// Sync reports whether writes are synced to disk.
func (d SpoolDurability) Sync() bool { return d.Durability == string(jetstream.Fsynced) }
