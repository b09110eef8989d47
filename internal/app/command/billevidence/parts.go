// Package billevidence reads the parts of a bill's evidence from a server.
package billevidence

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/tapecopy"
	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/evidence"
	"tapedeck/replay/tapefile"
)

// Parts returns functions that read the parts of a bill's evidence from the server.
func Parts(client *apiclient.Client, bill *bills.Bill, path string) evidence.Parts {
	return evidence.Parts{
		Bill: bill,
		Rows: func(ctx context.Context, w io.Writer) ([]string, error) {
			sessions := newSessionColumn()
			err := client.Copy(ctx, path+"/rows", map[string][]string{"format": {"csv"}}, "text/csv",
				io.MultiWriter(w, sessions))
			if err = errors.Join(err, sessions.end()); err != nil {
				return nil, err
			}
			return sessions.list(), nil
		},
		Tape: func(ctx context.Context, session string) (func(io.Writer) error, error) {
			body, err := client.Open(ctx, http.MethodGet, apiclient.SessionPath(session, "tape"), nil,
				tapefile.MediaType)
			var refused *apiclient.Error
			switch {
			case errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone):
				return nil, nil
			case err != nil:
				return nil, err
			}
			return func(w io.Writer) error {
				return errors.Join(tapecopy.WithoutNotes(w, body), body.Close())
			}, nil
		},
	}
}

// Prices returns a function that reads the price table of a bill; nil if the principal may not read
// it.
func Prices(ctx context.Context, client *apiclient.Client, path string) (func(context.Context, io.Writer) error, error) {
	var text bytes.Buffer
	err := client.Copy(ctx, path+"/prices", nil, "application/json", &text)
	if refused, ok := errors.AsType[*apiclient.Error](err); ok && refused.Status == http.StatusForbidden {
		return nil, nil
	}
	return func(_ context.Context, w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	}, err
}
