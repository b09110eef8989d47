package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// deadLettersCommand manages blocks that could not be stored.
type deadLettersCommand struct {
	List  deadList  `cmd:"" default:"withargs" help:"List the blocks that were set aside, with the reason."`
	Retry deadRetry `cmd:"" help:"Retry them: those named, or all."`
	Drop  deadDrop  `cmd:"" help:"Remove them permanently."`
}

type deadList struct {
	Limit int `short:"n" help:"How many to list at most." default:"100"`
}

type deadRetry struct {
	Seq []uint64 `arg:"" optional:"" help:"Numbers from the list. None: all."`
}

type deadDrop struct {
	Seq []uint64 `arg:"" help:"Numbers from the list."`
}

// deadPage is an answer of /v1/dead-letters.
type deadPage struct {
	Items []deadletters.Letter `json:"items"`
	Next  *string              `json:"next"`
}

const deadPageSize = 1000

// Run lists the letters.
func (c *deadList) Run(ctx context.Context, g *global) error {
	if c.Limit < 1 {
		return commandline.Errorf("--limit %d: it must be 1 or more", c.Limit)
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	all := deadPage{Items: []deadletters.Letter{}}
	q := url.Values{}
	for len(all.Items) < c.Limit {
		q.Set("limit", strconv.Itoa(min(c.Limit-len(all.Items), deadPageSize)))
		var page deadPage
		if err := client.Get(ctx, "/v1/dead-letters", q, &page); err != nil {
			return err
		}
		all.Items, all.Next = append(all.Items, page.Items...), page.Next
		if page.Next == nil {
			break
		}
		q.Set("cursor", *page.Next)
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(all)
	}
	if len(all.Items) == 0 {
		fmt.Println("No dead letters: every block could be stored.")
		return nil
	}
	if err := printers.DeadLetters(os.Stdout, all.Items); err != nil {
		return err
	}
	if all.Next != nil {
		fmt.Printf("There are more: -n %d\n", 10*c.Limit)
	}
	fmt.Println("They are retried after an upgrade and from time to time; at once: tapedeck dead-letters retry")
	return nil
}

// Run publishes letters again.
func (c *deadRetry) Run(ctx context.Context, g *global) error {
	return g.changeDead(ctx, http.MethodPost, "/v1/dead-letters/retry", "retried", c.Seq,
		"They are sent to ClickHouse again. Those that still cannot be stored return to the list.")
}

// Run removes letters.
func (c *deadDrop) Run(ctx context.Context, g *global) error {
	return g.changeDead(ctx, http.MethodDelete, "/v1/dead-letters", "dropped", c.Seq, "")
}

// changeDead requests an operation on dead letters and prints the number of changed
// letters.
func (g *global) changeDead(ctx context.Context, method, path, done string, seqs []uint64, then string) error {
	client, err := g.client()
	if err != nil {
		return err
	}
	q := url.Values{}
	for _, seq := range seqs {
		q.Add("seq", strconv.FormatUint(seq, 10))
	}
	body, err := client.Open(ctx, method, path, q, "application/json")
	if err != nil {
		return err
	}
	defer body.Close()
	answer := map[string]int{}
	if err := json.NewDecoder(body).Decode(&answer); err != nil {
		return fmt.Errorf("read the server's answer to %s: %w", path, err)
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(answer)
	}
	fmt.Printf("%s %s\n", done, console.Count(answer[done], "block"))
	if then != "" && answer[done] > 0 {
		fmt.Println(then)
	}
	return nil
}
