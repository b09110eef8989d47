package agenthistory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"time"
)

// uploaded reports whether the server already has the bytes of a new source: from an upload, or
// from a file that was recorded with other options.
func (y *Syncer) uploaded(ctx context.Context, s *Source) bool {
	if y.Known == nil || s.State != StateNew || s.kind == tree {
		return false
	}
	f, err := openRegular(s.Path)
	if err != nil {
		return false // recording it reports the error
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return false
	}
	stream, first := y.Known(ctx, hex.EncodeToString(h.Sum(nil)))
	return stream != "" && stream != s.streamID(0) &&
		first.Sub(time.Unix(0, s.started)).Abs() < time.Second // a recording with the times of its arrival does not count
}
