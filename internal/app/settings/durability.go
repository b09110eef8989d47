package settings

import (
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/commandline"
)

// ServerDurability sets the guarantee of an acknowledgement, for the commands that run servers.
// docs/benchmarks.md lists the cost of each value.
type ServerDurability struct {
	Durability string `help:"What an acknowledgement survives: memory (nothing needs to fail but NATS), written (any process killed), fsynced (a power cut)." enum:"memory,written,fsynced" default:"written" env:"TAPEDECK_DURABILITY"`
}

// Guarantee returns what an acknowledgement survives.
func (d ServerDurability) Guarantee() jetstream.Durability { return jetstream.Durability(d.Durability) }

// Sync reports whether writes are synced to disk.
func (d ServerDurability) Sync() bool { return d.Guarantee() == jetstream.Fsynced }

// leastSpool is the minimum limit of a spool, bytes.
const leastSpool = 16 << 20

// CommandSpool holds the settings of the spool of recording commands. The server has settings of
// its own.
type CommandSpool struct {
	Durability string `help:"What a block in this command's spool survives: written (any process killed) or fsynced (a power cut). The server has its own setting." enum:"written,fsynced" default:"written"`
	SpoolLimit Size   `help:"Most bytes of this command's spool, which keeps blocks on disk while the server takes none. Once it is full, recording waits." default:"8GiB" min:"16MiB" env:"TAPEDECK_SPOOL_LIMIT" placeholder:"SIZE"`
}

// Sync reports whether writes are synced to disk.
func (d CommandSpool) Sync() bool { return d.Durability == string(jetstream.Fsynced) }

// CheckSpool checks the limit of the spool.
func (d CommandSpool) CheckSpool() error {
	if d.SpoolLimit < leastSpool {
		return commandline.Errorf("--spool-limit=%v: it must be %v or more", d.SpoolLimit, Size(leastSpool))
	}
	return nil
}
