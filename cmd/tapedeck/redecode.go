package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
)

// redecodeCommand makes a server derive the facts of sessions again.
type redecodeCommand struct {
	Dialect  string   `help:"Read every stream of the sessions as this dialect. Default: each as what it is recognised as." placeholder:"NAME"`
	Sessions []string `arg:"" name:"session" help:"The sessions."`

	DialectFile string `help:"A file that describes a protocol (docs/dialects/custom.md). It is sent to the server, which takes its dialect among those that it knows, for these sessions." placeholder:"FILE"`
}

// Run decodes one session after the other. A failure does not stop the
// others.
func (c *redecodeCommand) Run(ctx context.Context, g *global) error {
	file, err := c.dialectFile()
	if err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	// No timeout: the answer is sent when all is decoded.
	cl.HTTP = &http.Client{}
	t := console.NewTable(os.Stdout, "session", "stream", "dialect", "frames", "spans", "messages", "usages", "recognised by")
	var failures []error
	var unended []string
	results := []json.RawMessage{}
	for _, id := range c.Sessions {
		answer, result, err := c.decode(ctx, cl, id, file)
		if err != nil {
			failures = append(failures, fmt.Errorf("session %s: %w", id, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		results = append(results, answer)
		for i := range result.Streams {
			s := &result.Streams[i]
			t.Row(console.Clip(id, 40), s.ID, s.DialectBefore+" → "+s.DialectAfter, console.Thousands(s.Frames),
				console.Thousands(s.Spans), console.Thousands(s.Messages), console.Thousands(s.Usages), console.Clip(s.Evidence, 60))
			if !s.Ended {
				unended = append(unended, s.ID)
			}
		}
	}
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(map[string]any{"items": results, "next": nil})
	} else if len(results) > 0 {
		err = t.Flush()
	}
	for _, id := range unended {
		fmt.Fprintf(os.Stderr, "Stream %s never said that it ended. Should it go on after all, decode its session again at its end.\n", id)
	}
	return errors.Join(append(failures, err)...)
}

// dialectFile reads the file of --dialect-file, nil without one.
func (c *redecodeCommand) dialectFile() ([]byte, error) {
	if c.DialectFile == "" {
		return nil, nil
	}
	if _, err := readDialect(c.DialectFile); err != nil {
		return nil, usage.As(err)
	}
	return os.ReadFile(c.DialectFile)
}

// decode makes the server decode one session again.
func (c *redecodeCommand) decode(ctx context.Context, cl *apiclient.Client, id string, file []byte) (json.RawMessage, *redecode.Result, error) {
	q := url.Values{}
	setAll(q, map[string][]string{"dialect": {c.Dialect}})
	body, err := cl.Post(ctx, apiclient.SessionPath(id, "redecode"), q, redecode.DialectFile, file)
	var refused *apiclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		err = usage.As(err)
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
