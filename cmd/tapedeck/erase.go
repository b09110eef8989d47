package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	Session []string `arg:"" predictor:"session" optional:"" help:"Ids of sessions."`
	Tag     string   `help:"Erase all sessions of which a stream has this value of a tag, such as those of a person." placeholder:"KEY=VALUE"`
	Tenant  string   `help:"Erase everything of a tenant, and revoke its tokens." placeholder:"T"`
	Unknown bool     `help:"Erase sessions also if nothing of them is stored, such as those whose blocks are still in a spool: what was recorded of them before is refused when it arrives. A recording that begins later is kept."`
	DryRun  bool     `help:"List what would be erased, and erase nothing."`
	Yes     bool     `help:"Erase without asking, as scripts do." short:"y"`
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
	return body, nil
}

// Run requests an erasure, or lists them. Before a request it shows what would be erased, and asks.
func (c *eraseCommand) Run(ctx context.Context, g *global) error {
	if c.List {
		return listErasures(ctx, g)
	}
	body, err := c.wish()
	if err != nil {
		return err
	}
	if !c.DryRun && !c.Yes && !console.IsTerminal(os.Stdin) {
		return commandline.Errorf("there is no terminal to ask on before something is erased: --yes erases without asking, --dry-run lists what would be erased; nothing was erased")
	}
	preview, err := c.preview(ctx, g, body)
	if err != nil || c.DryRun {
		return err
	}
	if !c.Yes {
		if err := c.ask(ctx, preview); err != nil {
			return err
		}
	}
	var e erasure.Answer
	text, err := postErasure(ctx, g, body, &e)
	if err != nil {
		return err
	}
	if g.JSON && !c.Wait {
		_, err := console.Recorded(os.Stdout).Write(text)
		return err
	}
	if !g.JSON {
		fmt.Printf("erasure %s: %s\n", e.ID, hidden(&e))
	}
	if !c.Wait {
		fmt.Printf("It is complete by %s; \"tapedeck erase --list\" shows how far it is.\n",
			console.LocalTime(e.DueAt))
		return nil
	}
	return waitErased(ctx, g, e.ID)
}

// postErasure requests an erasure, and returns the server's answer.
func postErasure(ctx context.Context, g *global, body map[string]any, e *erasure.Answer) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	client, err := g.client()
	if err != nil {
		return nil, err
	}
	answer, err := client.Post(ctx, "v1/erasures", nil, "application/json", text)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	text, err = io.ReadAll(answer)
	if err == nil {
		err = json.Unmarshal(text, e)
	}
	if err != nil {
		return nil, fmt.Errorf("read the server's answer to v1/erasures: %w", err)
	}
	return text, nil
}

// preview asks the server what would be erased. With --dry-run it prints all of it. It returns an
// error if nothing would be erased, unless --unknown is set.
func (c *eraseCommand) preview(ctx context.Context, g *global, body map[string]any) (*erasure.Answer, error) {
	dry := maps.Clone(body)
	dry["dry_run"] = true
	var e erasure.Answer
	text, err := postErasure(ctx, g, dry, &e)
	if err != nil {
		return nil, err
	}
	if c.DryRun && g.JSON {
		if _, err := console.Recorded(os.Stdout).Write(text); err != nil {
			return nil, err
		}
	}
	if e.Found.Sessions == 0 && e.Found.Frames == 0 && !c.Unknown {
		return nil, c.nothing()
	}
	if c.DryRun && !g.JSON {
		for _, id := range e.Sessions {
			fmt.Fprintln(console.To(os.Stdout), id)
		}
		fmt.Fprintf(console.To(os.Stderr), "%s would be erased\n", extent(&e))
	}
	return &e, nil
}

// nothing returns the error for a tag, a tenant or sessions without stored data.
func (c *eraseCommand) nothing() error {
	switch {
	case c.Tag != "":
		return fmt.Errorf("no stored session has the tag %s: nothing was erased; \"tapedeck sessions\" shows the tags of sessions", c.Tag)
	case c.Tenant != "":
		return fmt.Errorf("nothing is stored of the tenant %s: nothing was erased; \"tapedeck tenants\" lists the tenants there are", c.Tenant)
	}
	return errors.New("nothing of these sessions is stored: nothing was erased; --unknown erases sessions of which blocks are still in a spool")
}

// mostAsked bounds the sessions that the question lists.
const mostAsked = 10

// ask shows what would be erased, and asks whether to do so. Any answer but yes is an error.
func (c *eraseCommand) ask(ctx context.Context, e *erasure.Answer) error {
	to := console.To(os.Stderr)
	for _, id := range e.Sessions[:min(len(e.Sessions), mostAsked)] {
		fmt.Fprintln(to, id)
	}
	if more := int64(e.Found.Sessions) - mostAsked; more > 0 {
		fmt.Fprintf(to, "… and %s (--dry-run lists them)\n", console.Count(more, "other session"))
	}
	and := ""
	if c.Tenant != "" {
		and = ", and revokes the tokens of the tenant " + c.Tenant
	}
	fmt.Fprintf(to, "This erases %s%s. It cannot be undone. Erase? [y/N] ", extent(e), and)
	answer, err := readLine(ctx, os.Stdin)
	if err != nil {
		fmt.Fprintln(to)
		return fmt.Errorf("%w: nothing was erased", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was erased")
}

// readLine reads a line of text. If ctx ends, it returns while the read is still pending; the
// process ends soon after.
func readLine(ctx context.Context, from io.Reader) (string, error) {
	type result struct {
		text string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text, err := bufio.NewReader(from).ReadString('\n')
		if errors.Is(err, io.EOF) { // an answer without its end, or none
			err = nil
		}
		read <- result{text, err}
	}()
	select {
	case r := <-read:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// extent says how much an erasure covers.
func extent(e *erasure.Answer) string {
	return fmt.Sprintf("%s of %s, %s", console.Count(e.Found.Frames, "frame"), console.Count(e.Found.Sessions, "session"), console.Bytes(e.Found.Bytes))
}

// hidden describes what a requested erasure has hidden.
func hidden(e *erasure.Answer) string {
	if e.Found.Sessions == 0 && e.Found.Frames == 0 {
		return "nothing of it is stored; what was recorded of it before now is refused when it arrives"
	}
	return extent(e) + "; they are hidden"
}

// goesOn returns the error for a command that was interrupted while it waited for an erasure.
func goesOn(id string) error {
	return fmt.Errorf("interrupted: the erasure %s goes on; \"tapedeck erase --list\" shows how far it is", id)
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
			if ctx.Err() != nil {
				return goesOn(id)
			}
			return fmt.Errorf("%w\nThe erasure %s goes on: \"tapedeck erase --list\" shows how far it is", err, id)
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
			return goesOn(id)
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
