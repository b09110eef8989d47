// Package redecode has a server derive the facts of sessions anew.
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

// Request is what all sessions are decoded with.
type Request struct {
	Client *apiclient.Client
	File   []byte // describes a dialect; nil for none
}

// Decode has the server decode one session again. q has further parameters. It returns the
// server's answer as it is, and what it says.
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
