package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// slowClient is like client without a timeout, for requests that are answered after work that may
// take minutes.
func (g *global) slowClient() (*apiclient.Client, error) {
	c, err := g.client()
	if err == nil {
		c.WithoutTimeout()
	}
	return c, err
}

// client returns a client of the server in --server.
func (g *global) client() (*apiclient.Client, error) {
	if err := g.readToken(); err != nil {
		return nil, err
	}
	c, err := apiclient.New(g.Server, g.Token)
	if err != nil {
		return nil, err
	}
	trust, err := g.config()
	if err != nil {
		return nil, err
	}
	c.Trust(trust)
	c.Tenant = g.AsTenant
	c.Hint = hintForMissing
	return c, nil
}

// fetch reads an answer of the API. With --json it prints the answer unchanged and returns done;
// otherwise it decodes the answer into v.
func (g *global) fetch(ctx context.Context, path string, q url.Values, v any) (done bool, err error) {
	c, err := g.reader()
	if err != nil {
		return false, err
	}
	if !g.JSON {
		return false, c.Get(ctx, path, q, v)
	}
	return true, c.Copy(ctx, path, q, "application/json", console.Recorded(os.Stdout))
}

// pathOf is like apiclient.SessionPath for an id from the command line.
func pathOf(id string, rest ...string) (string, error) {
	if id == "" {
		return "", commandline.Errorf("name a session: \"tapedeck sessions\" lists those there are")
	}
	if id == "." || id == ".." {
		return "", commandline.Errorf("%q is invalid as the id of a session: it is a path in URLs", id)
	}
	return apiclient.SessionPath(id, rest...), nil
}

// checkSessions returns the server's answer for the first of some sessions that it does not have. Lists
// and searches are empty for those.
func checkSessions(ctx context.Context, client *apiclient.Client, ids ...string) error {
	for _, id := range ids {
		if id == "" {
			continue
		}
		path, err := pathOf(id)
		if err != nil {
			return err
		}
		if err := client.Copy(ctx, path, nil, "application/json", io.Discard); err != nil {
			return err
		}
	}
	return nil
}

// setAll adds the parameters that are not empty.
func setAll(q url.Values, params map[string][]string) {
	for name, values := range params {
		for _, v := range values {
			if v != "" {
				q.Add(name, v)
			}
		}
	}
}

func joined(list []string) string { return strings.Join(list, ",") }

// send sends a request with a JSON body, none if it is nil. With --json it prints the answer
// unchanged and returns done; otherwise it decodes the answer into v.
func (g *global) send(ctx context.Context, method, path string, body, v any) (done bool, err error) {
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return false, err
		}
	}
	c, err := g.client()
	if err != nil {
		return false, err
	}
	answer, err := c.Send(ctx, method, path, nil, "application/json", text)
	if err != nil {
		return false, err
	}
	defer answer.Close()
	if g.JSON {
		_, err := io.Copy(console.Recorded(os.Stdout), answer)
		return true, err
	}
	if err := json.NewDecoder(answer).Decode(v); err != nil {
		return false, fmt.Errorf("read the server's answer to %s: %w", path, err)
	}
	return false, nil
}

// writeTo writes what a function copies from the server to a file, or to standard output for "" and
// "-".
func (g *global) writeTo(ctx context.Context, name string, force bool, from func(*apiclient.Client, io.Writer) error) error {
	out, err := output.Create(name, force)
	if err != nil {
		return err
	}
	cl, err := g.reader()
	if err == nil {
		err = from(cl, out)
	}
	if err != nil && ctx.Err() != nil {
		err = errors.Join(errors.New("interrupted"), err)
	}
	if err = out.Finish(err); err != nil {
		return err
	}
	if !out.IsStdout() {
		fmt.Fprintf(console.To(os.Stderr), "wrote %s: %s\n", name, console.Count(out.Written(), "byte"))
	}
	return nil
}
