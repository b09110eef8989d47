package main

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/lifecycle/retention"
	"tapedeck/internal/commandline"
	lifecycle "tapedeck/schema/lifecycle/retention"
)

// retentionCommand shows and sets how long recordings are kept.
type retentionCommand struct {
	Show    retentionShow    `cmd:"" default:"withargs" help:"Show how long each kind of data is kept."`
	Set     retentionSet     `cmd:"" help:"Set how long a kind of data is kept."`
	Preview retentionPreview `cmd:"" help:"Show what expires, and when."`
}

type retentionShow struct{}

// retentionLimits are the limits of one kind of data.
type retentionLimits struct {
	MaxAge  string `help:"Age at which it expires, like 90d or 12h; none for no limit." placeholder:"D"`
	MaxSize string `help:"Size beyond which the oldest sessions expire, like 500GiB; none for no limit." placeholder:"SIZE"`
}

type retentionSet struct {
	Kind string `arg:"" help:"frames, messages, facts, charges or bills." enum:"frames,messages,facts,charges,bills"`
	retentionLimits
}

type retentionPreview struct {
	Kind string `arg:"" optional:"" help:"A kind, to see what other limits of it would do." placeholder:"KIND"`
	retentionLimits
}

// noLimit is the value of a flag that removes a limit.
const noLimit = "none"

// values returns the limits in seconds and bytes; nil for none.
func (l *retentionLimits) values() (age, size *uint64, err error) {
	if l.MaxAge != "" && l.MaxAge != noLimit {
		d, err := parseDays(l.MaxAge)
		if err != nil || d < time.Second {
			return nil, nil, commandline.Errorf("--max-age %q: it must be a second or more, like 90d or 12h, or none",
				l.MaxAge)
		}
		seconds := uint64(d / time.Second)
		age = &seconds
	}
	if l.MaxSize != "" && l.MaxSize != noLimit {
		n, err := parseSize(l.MaxSize)
		if err != nil {
			return nil, nil, commandline.Errorf("--max-size %q: it must be bytes, or a number with KiB, MiB, GiB or TiB, or none", l.MaxSize)
		}
		size = &n
	}
	return age, size, nil
}

// parseSize parses a number of bytes.
func parseSize(text string) (uint64, error) {
	unit := uint64(1)
	for i, name := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if number, ok := strings.CutSuffix(text, name); ok {
			text, unit = strings.TrimSpace(number), 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err == nil && (n == 0 || n > 1<<62/unit) {
		err = strconv.ErrRange
	}
	return n * unit, err
}

// Run shows the policies.
func (c *retentionShow) Run(ctx context.Context, g *global) error {
	var page struct{ Items []retention.Policy }
	if done, err := g.fetch(ctx, "v1/retention", nil, &page); done || err != nil {
		return err
	}
	return printers.Policies(os.Stdout, page.Items)
}

// Run sets a policy. A limit that is not named is unchanged.
func (c *retentionSet) Run(ctx context.Context, g *global) error {
	if c.MaxAge == "" && c.MaxSize == "" {
		return commandline.Errorf("name --max-age or --max-size, or both; none lifts a limit")
	}
	seconds, bytes, err := c.values()
	if err != nil {
		return err
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	var page struct{ Items []retention.Policy }
	if err := client.Get(ctx, "v1/retention", nil, &page); err != nil {
		return err
	}
	for _, p := range page.Items {
		if p.Kind == c.Kind && c.MaxAge == "" {
			seconds = p.MaxAgeS
		}
		if p.Kind == c.Kind && c.MaxSize == "" {
			bytes = p.MaxBytes
		}
	}
	body := map[string]any{"kind": c.Kind, "max_age_s": seconds, "max_bytes": bytes}
	if done, err := g.send(ctx, http.MethodPut, "v1/retention", body, &struct{}{}); done || err != nil {
		return err
	}
	printers.Kept(os.Stdout, c.Kind, seconds, bytes)
	return nil
}

// Run shows what expires.
func (c *retentionPreview) Run(ctx context.Context, g *global) error {
	q := url.Values{}
	if c.Kind != "" {
		if !slices.Contains(lifecycle.Kinds, c.Kind) {
			return commandline.Errorf("%q is no kind of data: name one of %s", c.Kind, strings.Join(lifecycle.Kinds, ", "))
		}
		seconds, bytes, err := c.values()
		if err != nil {
			return err
		}
		q.Set("kind", c.Kind)
		if seconds != nil {
			q.Set("max_age_s", strconv.FormatUint(*seconds, 10))
		}
		if bytes != nil {
			q.Set("max_bytes", strconv.FormatUint(*bytes, 10))
		}
	} else if c.MaxAge != "" || c.MaxSize != "" {
		return commandline.Errorf("name the kind whose limits these are: frames, messages, facts, charges or bills")
	}
	var page struct{ Items []retention.Preview }
	if done, err := g.fetch(ctx, "v1/retention/preview", q, &page); done || err != nil {
		return err
	}
	return printers.Expiry(os.Stdout, page.Items)
}
