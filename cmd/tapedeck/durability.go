package main

import "tapedeck/ingest/jetstream"

// serverDurability sets the guarantee of an acknowledgement, for the
// commands that run servers. docs/benchmarks.md lists the cost of each value.
type serverDurability struct {
	Durability string `help:"What an acknowledgement survives: memory (nothing needs to fail but NATS), written (any process killed), fsynced (a power cut)." enum:"memory,written,fsynced" default:"written"`
}

func (d serverDurability) setting() jetstream.Durability { return jetstream.Durability(d.Durability) }
func (d serverDurability) sync() bool                    { return d.setting() == jetstream.Fsynced }

// spoolDurability sets the same for the spool of recording commands. The server has its
// own setting.
type spoolDurability struct {
	Durability string `help:"What a block in this command's spool survives: written (any process killed) or fsynced (a power cut). The server has its own setting." enum:"written,fsynced" default:"written"`
}

func (d spoolDurability) sync() bool { return d.Durability == string(jetstream.Fsynced) }
