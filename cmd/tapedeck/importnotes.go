package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"tapedeck/ingest"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/command/tapeimport"
	"tapedeck/internal/commandline"
	"tapedeck/query/notes"
)

// restoreNotes writes the notes of a tape on the imported sessions. It prints the notes that were not written, and
// returns the exit code as an error if there are any.
func (c *importCommand) restoreNotes(ctx context.Context, g *global, im *tapeimport.Importer) error {
	if c.NoNotes {
		return nil
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	if client.Tenant == "" && c.Tenant != ingest.DefaultTenant {
		client.Tenant = c.Tenant
	}
	err = im.RestoreNotes(ctx, func(ctx context.Context, session string, body []byte) (*notes.ImportResult, error) {
		if c.NATS != "" {
			return nil, commandline.Errorf("--nats has no server that takes notes: import the tape again with --server, or leave notes out with --no-notes")
		}
		path, err := pathOf(session, "notes", "import")
		if err != nil {
			return nil, err
		}
		answer, err := client.Send(ctx, http.MethodPost, path, nil, "application/json", body)
		if err != nil {
			return nil, err
		}
		result := &notes.ImportResult{}
		if err := json.NewDecoder(answer).Decode(result); err != nil {
			return nil, errors.Join(fmt.Errorf("read the server's answer to %s: %w", path, err), answer.Close())
		}
		return result, answer.Close()
	})
	lost := err != nil
	for _, s := range im.Sessions {
		lost = lost || s.Restored != nil && s.Restored.Refused > 0
	}
	if !lost {
		return nil
	}
	if !g.JSON {
		printers.LostNotes(os.Stderr, im.Sessions)
	}
	return exitCode(exitFailed)
}
