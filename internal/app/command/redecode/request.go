// Package redecode makes a server derive the facts of sessions again.
package redecode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/commandline"
)

// Request configures the decoding of all sessions.
type Request struct {
	Client *apiclient.Client
	File   []byte // describes a dialect; nil for none
}

// Decode makes the server decode one session again. q has further parameters. It returns the
// server's answer, both unchanged and parsed.
func (r *Request) Decode(ctx context.Context, id string, q url.Values) (json.RawMessage, *redecode.Result, error) {
	body, err := r.Client.Post(ctx, apiclient.SessionPath(id, "redecode"), q, redecode.DialectFile, r.File)
	var refused *apiclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		err = commandline.As(err)
	}
	if err != nil {
		return nil, nil, err
	}
	defer body.Close()
	answer, err := io.ReadAll(body)
	result := &redecode.Result{}
	if err == nil {
		err = json.Unmarshal(answer, result)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the server's answer: %w", err)
	}
	return bytes.TrimSpace(answer), result, nil
}
