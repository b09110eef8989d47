// Package knownrecordings queries a server about its recordings: recordings of the same bytes,
// streams that can be read, imported sessions, transcripts, and usage.
package knownrecordings

import (
	"context"
	"fmt"
	"time"

	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/query/session/streamlist"
)

// Server returns a client of the server.
type Server func() (*apiclient.Client, error)

// KnownError reports that a recording of the same bytes exists.
type KnownError struct {
	Source string
	Digest string
	Stored streamlist.InSession
}

// Error implements error.
func (e *KnownError) Error() string {
	return fmt.Sprintf("%s: these bytes are session %s already, recorded %s", e.Source, e.Stored.SessionID,
		console.LocalTime(e.Stored.Stream.FirstAt))
}

// Uploaded returns a function that finds recordings of the bytes with some digests, at most
// agenthistory.LookUpMost. It finds none if the server does not answer. One goroutine may call it at
// a time.
func Uploaded(server Server) func(ctx context.Context, digests []string) map[string]agenthistory.Stored {
	x := NewIndex(server, nil)
	return func(ctx context.Context, digests []string) map[string]agenthistory.Stored {
		clear(x.answers)
		found := map[string]agenthistory.Stored{}
		for i, digest := range digests {
			known, err := x.find(ctx, digest, func() []string { return digests[i+1:] })
			if err != nil {
				break
			}
			if known != nil {
				found[digest] = agenthistory.Stored{Stream: known.Stream.ID, First: known.Stream.FirstAt}
			}
		}
		return found
	}
}

// lookUpTimeout bounds how long a recording waits for the server's answer.
const lookUpTimeout = 5 * time.Second
