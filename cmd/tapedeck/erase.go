package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	state "tapedeck/schema/lifecycle/erasure"
)

// eraseCommand erases recordings.
type eraseCommand struct {
	Session []string `arg:"" optional:"" help:"Ids of sessions."`
	Tag     string   `help:"Erase all sessions of which a stream has this value of a tag, such as those of a person." placeholder:"KEY=VALUE"`
	Tenant  string   `help:"Erase everything of a tenant, and revoke its tokens." placeholder:"T"`
	Unknown bool     `help:"Erase sessions also if nothing of them is stored, such as those whose blocks are still in a spool: what arrives of them is refused."`
	DryRun  bool     `help:"List what would be erased."`
	List    bool     `help:"List the erasures."`
	Wait    bool     `help:"Wait until it is verified."`
}

// wish returns the body of the request.
func (c *eraseCommand) wish() (map[string]any, error) {
	body := map[string]any{}
	if len(c.Session) > 0 {
		body["sessions"] = c.Session
	}
	if c.Tag != "" {
		key, value, ok := strings.Cut(c.Tag, "=")
		if !ok || key == "" || value == "" {
			return nil, commandline.Errorf("--tag %q: it must be KEY=VALUE, like user=ada", c.Tag)
		}
		body["tag"] = map[string]string{"key": key, "value": value}
	}
	if c.Tenant != "" {
		body["tenant"] = c.Tenant
	}
	if c.Unknown && len(c.Session) == 0 {
		return nil, commandline.Errorf("--unknown is about sessions that are named; name them")
	}
	if len(body) != 1 {
		return nil, commandline.Errorf("name sessions, or --tag KEY=VALUE, or --tenant T, and one of them only; --list lists the erasures")
	}
	if c.Unknown {
		body["unknown"] = true
	}
	if c.DryRun {
		body["dry_run"] = true
	}
	return body, nil
}

// Run requests an erasure, or lists them.
func (c *eraseCommand) Run(ctx context.Context, g *global) error {
	if c.List {
		return listErasures(ctx, g)
	}
	body, err := c.wish()
	if err != nil {
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	answer, err := client.Post(ctx, "v1/erasures", nil, "application/json", text)
	if err != nil {
		return err
	}
	defer answer.Close()
	var e erasure.Answer
	if g.JSON && !c.Wait {
		_, err := io.Copy(os.Stdout, answer)
		return err
	}
	if err := json.NewDecoder(answer).Decode(&e); err != nil {
		return fmt.Errorf("read the server's answer to v1/erasures: %w", err)
	}
	if c.DryRun {
		for _, id := range e.Sessions {
			fmt.Println(id)
		}
		fmt.Fprintf(console.To(os.Stderr), "%s of %s, %s would be erased\n",
			console.Count(e.Found.Frames, "frame"), console.Count(e.Found.Sessions, "session"),
			console.Bytes(e.Found.Bytes))
		return nil
	}
	if !g.JSON {
		fmt.Printf("erasure %s: %s of %s, %s; they are hidden\n", e.ID, console.Count(e.Found.Frames, "frame"),
			console.Count(e.Found.Sessions, "session"), console.Bytes(e.Found.Bytes))
	}
	if !c.Wait {
		fmt.Printf("They are removed by %s; \"tapedeck erase --list\" shows how far it is.\n",
			console.LocalTime(e.DueAt))
		return nil
	}
	return waitErased(ctx, g, e.ID)
}

// pollErasure is the interval at which the command reads the status of an erasure.
const pollErasure = time.Second

// waitErased waits until an erasure is verified, and prints what it waits for.
func waitErased(ctx context.Context, g *global, id string) error {
	client, err := g.client()
	if err != nil {
		return err
	}
	said := ""
	for {
		var e erasure.Answer
		if err := client.Get(ctx, "v1/erasures/"+url.PathEscape(id), nil, &e); err != nil {
			return err
		}
		if e.State == state.Verified {
			if g.JSON {
				return json.NewEncoder(os.Stdout).Encode(e)
			}
			fmt.Printf("verified at %s: nothing of it was found any more\n", console.LocalTime(*e.VerifiedAt))
			for _, r := range e.Remarks {
				fmt.Println("note: " + r)
			}
			return nil
		}
		if now := string(e.State) + ", waiting for " + e.WaitsFor; e.WaitsFor != "" && now != said {
			said = now
			fmt.Fprintln(console.To(os.Stderr), now)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollErasure):
		}
	}
}

func listErasures(ctx context.Context, g *global) error {
	var page struct{ Items []erasure.Answer }
	if done, err := g.fetch(ctx, "v1/erasures", nil, &page); done || err != nil {
		return err
	}
	if len(page.Items) == 0 {
		fmt.Println("No erasures.")
		return nil
	}
	return printers.Erasures(os.Stdout, page.Items)
}
