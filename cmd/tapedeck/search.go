package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/search"
)

// searchCommand finds messages and errors by their words.
type searchCommand struct {
	Words   []string `arg:"" name:"words" help:"Words, \"phrases\" and prefixes* that must all occur in a text. Protect the quotation marks of a phrase from the shell: '\"timed out\"'."`
	From    string   `help:"Recorded at this time or later: RFC 3339, a date, or now-24h." placeholder:"TIME"`
	To      string   `help:"Recorded before this time." placeholder:"TIME"`
	Kind    []string `help:"Only texts of this kind: system, user, assistant, thinking, tool_arguments, tool_output, tool_result, reply, error." placeholder:"KIND"`
	Role    []string `help:"Only texts of this role: system, user, assistant, tool." placeholder:"ROLE"`
	Session []string `help:"Only in this session." placeholder:"ID" sep:"none"`
	Order   string   `help:"newest, which is the default, or relevance." placeholder:"ORDER"`
	Limit   int      `help:"How many hits at most, up to 100." default:"20" short:"n"`
	namelessFilter
}

// Run prints the hits.
func (c *searchCommand) Run(ctx context.Context, g *global) error {
	if c.Limit < 1 {
		return usage.Errorf("--limit %d: it must be 1 or more", c.Limit)
	}
	if err := c.check(); err != nil {
		return err
	}
	q := url.Values{}
	c.set(q)
	setAll(q, map[string][]string{
		"from": {c.From}, "to": {c.To}, "kind": c.Kind, "role": c.Role, "session": c.Session, "order": {c.Order},
	})
	filtered := len(q) > 0
	q.Set("q", strings.Join(c.Words, " "))
	q.Set("limit", strconv.Itoa(c.Limit))
	client, err := g.client()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := client.Get(ctx, "v1/search", q, &raw); err != nil {
		var refused *apiclient.Error
		if errors.As(err, &refused) && refused.Parameter == "q" { // no flag: the words are arguments
			refused.Parameter = ""
			if rest, ok := strings.CutPrefix(refused.Detail, "q "); ok {
				refused.Detail = "The search " + rest
			}
		}
		return err
	}
	if g.JSON {
		_, err := fmt.Fprintf(os.Stdout, "%s\n", raw)
		return err
	}
	var found search.Answer
	if err := json.Unmarshal(raw, &found); err != nil {
		return fmt.Errorf("read the server's answer to v1/search: %w", err)
	}
	if err := printHits(found.Items); err != nil {
		return err
	}
	explainSearch(&found, filtered)
	return nil
}

// printHits prints hits, each with the command that plays the session from its moment.
func printHits(hits []search.Hit) error {
	bold := console.IsTerminal(os.Stdout)
	for i := range hits {
		h := &hits[i]
		what := h.Kind
		if h.Name != "" {
			what += " " + h.Name
		}
		moment := time.Duration(h.OffsetMS * float64(time.Millisecond))
		_, err := fmt.Fprintf(os.Stdout, "%s  %s  %s  %s\n  %s\n  tapedeck play --from +%s %s\n",
			console.LocalTime(h.At), console.Clip(h.SessionID, 40), console.Clip(what, 40), console.Clip(h.SessionTitle, 60),
			snippetLine(h.Snippet, bold), moment, console.SessionWord(h.SessionID))
		if err != nil {
			return err
		}
	}
	return nil
}

// snippetLine returns a snippet as one line, with matches in bold type.
func snippetLine(parts []search.Part, bold bool) string {
	var b strings.Builder
	for _, p := range parts {
		text := console.Visible(lineEnds.Replace(p.Text), "")
		if p.Match && bold {
			text = "\x1b[1m" + text + "\x1b[0m"
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

var lineEnds = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ")

// explainSearch prints on standard error why an answer is incomplete or empty.
func explainSearch(found *search.Answer, filtered bool) {
	switch {
	case found.Partial:
		text := *found.Reason
		if found.SearchedTo != nil {
			text += " Searched back to " + console.LocalTime(*found.SearchedTo) + "."
		}
		if len(found.Scanned) > 0 {
			text += " The index does not cover " + strings.Join(found.Scanned, ", ") + "."
		}
		fmt.Fprintln(console.To(os.Stderr), text, "Narrow the search with --from, --to or --session.")
	case len(found.Items) == 0 && filtered:
		fmt.Fprintln(os.Stderr, "Nothing matches with these flags. Leave one out to find more.")
	case len(found.Items) == 0:
		fmt.Fprintln(os.Stderr, "Nothing matches.")
	case found.Next != nil:
		fmt.Fprintln(os.Stderr, "There are more: -n 100, or narrow the search with --from, --kind, --tool …")
	}
}
