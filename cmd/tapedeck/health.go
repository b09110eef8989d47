package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"tapedeck/internal/app/health"
)

// healthCommand checks whether a server is alive. Images without a shell use it as their health
// check.
type healthCommand struct {
	Ready   bool          `help:"Ask whether the server does its work, as load balancers do, and not only whether it answers."`
	Timeout time.Duration `help:"How long to wait for the answer." default:"5s" placeholder:"D"`
}

// Run fails unless the server answers with 200.
func (c *healthCommand) Run(ctx context.Context, g *global) error {
	client, err := g.client()
	if err != nil {
		return err
	}
	path, what := "healthz", "alive"
	if c.Ready {
		path, what = "readyz", "ready"
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	answer, err := client.Do(ctx, http.MethodGet, path, nil, "application/json")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", g.Server, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not %s: /%s answers %s\nRun \"tapedeck doctor\" for what is wrong", g.Server, what,
			path, answer.Status)
	}
	if err := client.CheckServer(ctx, answer); err != nil {
		return err
	}
	var ready health.Readiness
	if c.Ready && (json.Unmarshal(text, &ready) != nil || !ready.Ready) {
		return fmt.Errorf("%s does not answer /%s as a tapedeck server does", g.Server, path)
	}
	if g.JSON {
		_, err := os.Stdout.Write(text) // the server's answer
		return err
	}
	fmt.Printf("%s is %s\n", g.Server, what)
	return nil
}
