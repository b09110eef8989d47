// Package knownrecordings queries a server about its recordings: recordings of the same bytes,
// streams that can be read, imported sessions, transcripts, and usage.
package knownrecordings

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// Uploaded returns a function that finds a recording of the bytes with a digest. The function
// returns the recording's stream and the arrival of its first frame. The stream is "" if there is
// no such recording or the server does not answer.
func Uploaded(server Server) func(ctx context.Context, digest string) (string, time.Time) {
	return func(ctx context.Context, digest string) (string, time.Time) {
		known, ok := errors.AsType[*KnownError](NewIndex(server, nil).LookUp(ctx, "")(digest))
		if !ok {
			return "", time.Time{}
		}
		return known.Stored.Stream.ID, known.Stored.Stream.FirstAt
	}
}

// lookUpTimeout bounds how long a recording waits for the server's answer.
const lookUpTimeout = 5 * time.Second
