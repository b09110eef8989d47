package main

import (
	"encoding/json"
	"os"

	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
)

// reportKnown prints which session contains the bytes. The command then succeeds.
func reportKnown(g *global, e *knownrecordings.KnownError) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"digest": e.Digest, "known": e.Stored})
	}
	printers.Known(os.Stderr, e)
	return nil
}

// reportStored prints which session a transcript is. The command then succeeds.
func reportStored(g *global, e *agenthistory.StoredError) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"known": map[string]any{"session_id": e.Session}})
	}
	printers.Stored(os.Stderr, e)
	return nil
}

// index returns the index of the files that the command records, in this order; nil with --again,
// and with --nats, without a tapedeck server.
func (c *recordCommand) index(g *global, paths ...string) *knownrecordings.Index {
	if c.Again || c.NATS != "" {
		return nil
	}
	x := knownrecordings.NewIndex(g.client, paths)
	x.Session = string(c.Session)
	return x
}
