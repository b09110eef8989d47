package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/ingest"
	"tapedeck/internal/app/command/assert"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/pricing/prices"
)

// assertCommand checks conditions on one recording.
type assertCommand struct {
	Recording string `arg:"" predictor:"session" help:"A tape file, which needs no server, or the id of a session."`
	Of        string `help:"Which session of a tape file, where it holds several." name:"session" placeholder:"ID"`
	File      string `help:"Conditions in a file (YAML). Flags add to them, and replace the bounds that it states." type:"existingfile" placeholder:"FILE"`

	Fails         bool           `help:"Condition: the status of the session is error." xor:"fails"`
	NoFails       bool           `help:"Condition: the status of the session is not error." xor:"fails"`
	MaxTokens     *int64         `help:"Condition: at most N tokens." placeholder:"N"`
	MaxCost       *string        `help:"Condition: at most this cost, as 0.25. An unknown cost fails." placeholder:"AMOUNT"`
	PriceFile     string         `help:"Price a tape file by this price file (YAML), too. Default: list prices. The server's prices apply to its sessions." type:"existingfile" placeholder:"FILE"`
	MaxDuration   *time.Duration `help:"Condition: the session took at most D." placeholder:"D"`
	MaxFirstToken *time.Duration `help:"Condition: each call of a model had its first token within D." placeholder:"D"`
	MaxGap        *time.Duration `help:"Condition: at most D between two chunks of a call of a model." placeholder:"D"`
	MaxSilence    *time.Duration `help:"Condition: at most D without a frame." placeholder:"D"`
	Tool          []string       `help:"Condition: the session calls this tool; with =N exactly N times, with =MIN..MAX that often. Several may be named." placeholder:"NAME[=N]" sep:"none"`
	NoToolErrors  bool           `help:"Condition: no call of a tool failed."`
	Order         nameList       `help:"Condition: calls of these tools in this order, with others between them." placeholder:"NAME,…"`
	ExactOrder    nameList       `help:"Condition: the calls of tools are exactly these." placeholder:"NAME,…"`
	Text          []string       `help:"Condition: a message contains this text." placeholder:"TEXT" sep:"none"`
	Answer        []string       `help:"Condition: a message of the assistant contains this text." placeholder:"TEXT" sep:"none"`
	AnswerMatches []string       `help:"Condition: a message of the assistant matches this regular expression." placeholder:"REGEXP" sep:"none"`
	SameSteps     *string        `help:"Condition: the session has the steps of another tape file or session, as \"tapedeck diff\" compares them." placeholder:"RECORDING"`
	Words         bool           `help:"Count changed texts of answers as a difference, too. By default inputs and actions count."`

	JUnit string `help:"Write the result to a file, in the format of JUnit." name:"junit" placeholder:"FILE"`
}

// Run checks the conditions and prints the result of each. It exits with 1 if one does not hold, and with
// 2 if they cannot be checked.
func (c *assertCommand) Run(ctx context.Context, g *global) error {
	result, err := c.check(ctx, g)
	if err == nil && c.JUnit != "" {
		err = c.writeJUnit(result)
	}
	if err != nil {
		return commandline.As(err)
	}
	if g.JSON {
		err = json.NewEncoder(console.Recorded(os.Stdout)).Encode(result)
	} else {
		err = printers.Assertions(os.Stdout, result)
	}
	if err == nil && !result.Passed {
		return exitCode(exitFailed)
	}
	return err
}

func (c *assertCommand) check(ctx context.Context, g *global) (*assert.Result, error) {
	conditions := &assert.Conditions{}
	var err error
	if c.File != "" {
		if conditions, err = assert.ReadFile(c.File); err != nil {
			return nil, err
		}
	}
	if err := c.add(conditions); err != nil {
		return nil, err
	}
	if err := conditions.Check(); err != nil {
		return nil, err
	}
	table := prices.Standard()
	if c.PriceFile != "" {
		_, operator, err := readPrices(c.PriceFile)
		if err != nil {
			return nil, err
		}
		table = prices.With(operator)
	}
	source := assert.Source{Server: g.client, Prices: table, Tenant: cmp.Or(g.AsTenant, ingest.DefaultTenant)}
	return source.Run(ctx, conditions, c.Recording, c.Of)
}

// add adds the conditions of flags. They replace the bounds that a file states.
func (c *assertCommand) add(to *assert.Conditions) error {
	if c.Fails || c.NoFails {
		to.Fails = &c.Fails
	}
	if c.MaxTokens != nil {
		if *c.MaxTokens < 0 {
			return fmt.Errorf("--max-tokens %d: it must be 0 or more", *c.MaxTokens)
		}
		to.Tokens = assert.AtMost(*c.MaxTokens)
	}
	for _, bound := range []struct {
		flag string
		to   **assert.Range[time.Duration]
		most *time.Duration
	}{
		{"--max-duration", &to.Duration, c.MaxDuration}, {"--max-first-token", &to.FirstToken, c.MaxFirstToken},
		{"--max-gap", &to.LongestGap, c.MaxGap}, {"--max-silence", &to.Silence, c.MaxSilence},
	} {
		if bound.most != nil {
			if *bound.most < 0 {
				return fmt.Errorf("%s %s: it must be 0s or more", bound.flag, *bound.most)
			}
			*bound.to = assert.AtMost(*bound.most)
		}
	}
	if c.MaxCost != nil {
		most, err := decimal.NewFromString(*c.MaxCost)
		if err != nil || most.IsNegative() {
			return fmt.Errorf("--max-cost %q: it must be an amount such as 0.25", *c.MaxCost)
		}
		to.Cost = &assert.Cost{Max: &most}
	}
	if c.NoToolErrors {
		to.ToolErrors = assert.AtMost[int64](0)
	}
	if err := c.addTools(to); err != nil {
		return err
	}
	for _, of := range []struct {
		flag string
		list []string
	}{{"--text", c.Text}, {"--answer", c.Answer}, {"--answer-matches", c.AnswerMatches}, {"--order", c.Order}, {"--exact-order", c.ExactOrder}} {
		if slices.Contains(of.list, "") {
			return fmt.Errorf("%s %q: it must not be empty", of.flag, "")
		}
	}
	for _, text := range c.Text {
		to.Texts = append(to.Texts, assert.Text{Contains: text})
	}
	for _, text := range c.Answer {
		to.Texts = append(to.Texts, assert.Text{Contains: text, Assistant: true})
	}
	for _, text := range c.AnswerMatches {
		re, err := regexp.Compile(text)
		if err != nil {
			return fmt.Errorf("--answer-matches: %w", err)
		}
		to.Texts = append(to.Texts, assert.Text{Matches: re, Assistant: true})
	}
	if c.SameSteps != nil {
		if *c.SameSteps == "" {
			return fmt.Errorf("--same-steps: name a tape file, or the id of a session")
		}
		to.SameSteps = &assert.SameSteps{As: *c.SameSteps, Words: c.Words}
	} else if c.Words {
		return fmt.Errorf("--words goes with --same-steps")
	}
	return nil
}

func (c *assertCommand) addTools(to *assert.Conditions) error {
	for _, text := range c.Tool {
		calls, err := assert.ParseCalls(text)
		if err != nil {
			return fmt.Errorf("--tool %q: %w", text, err)
		}
		to.Calls = slices.DeleteFunc(to.Calls, func(other assert.Calls) bool { return other.Tool == calls.Tool })
		to.Calls = append(to.Calls, calls)
	}
	if len(c.Order) > 0 {
		to.Order = c.Order
	}
	if len(c.ExactOrder) > 0 {
		to.ExactOrder = c.ExactOrder
	}
	return nil
}

func (c *assertCommand) writeJUnit(r *assert.Result) error {
	f, err := output.CreateFile(c.JUnit, true)
	if err != nil {
		return err
	}
	return errors.Join(assert.WriteJUnit(f, r), f.Close())
}
