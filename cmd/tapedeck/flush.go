package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// flushCommand sends the spools that recording commands have left on disk.
type flushCommand struct {
	settings.NATSClient
	Spool string `help:"Send this spool to the server that is named now, also if it was recorded for another one. That of a server that has ended is the folder spool in its --data." placeholder:"DIR" type:"existingdir"`
	NATS  string `help:"Publish to this NATS server instead of through the tapedeck server." name:"nats" env:"TAPEDECK_NATS" placeholder:"URL"`
	waitFlags
}

// Run sends one spool after another. A command that is recording sends its own spool.
func (c *flushCommand) Run(ctx context.Context, g *global) error {
	if err := c.checkWait(); err != nil {
		return err
	}
	spools, err := outlet.WaitingSpools()
	if err != nil {
		return err
	}
	if c.Spool != "" {
		is, err := spool.IsSpool(c.Spool)
		if err != nil {
			return err
		}
		if !is { // opening it would write a lock file into a directory of another program
			return commandline.Errorf("--spool: %s is not a spool: name the folder spool in the --data of the server that has ended", c.Spool)
		}
		spools = []string{c.Spool}
	}
	if len(spools) == 0 {
		fmt.Fprintln(os.Stderr, "Nothing waits to be sent.")
		return reportFlushed(g, &knownrecordings.Waiting{})
	}
	opts, err := outletOptions(g, &c.NATSClient, outlet.Options{NATS: c.NATS})
	if err != nil {
		return err
	}
	var refused, others error
	for _, dir := range spools {
		err := send(ctx, opts, dir, c.Spool != "")
		if other, is := errors.AsType[*spool.TargetError](err); is {
			others = errors.Join(others, elsewhere(other))
			continue
		}
		if _, is := errors.AsType[*refusedError](err); is {
			refused = errors.Join(refused, err) // blocks of other spools may be accepted
			continue
		}
		if err != nil {
			return errors.Join(refused, err)
		}
	}
	waiting := c.waitReadable(ctx, g, c.NATS)
	if err := reportFlushed(g, &waiting); err != nil {
		return err
	}
	if late := c.reportWaiting(g, &waiting); refused == nil && others == nil {
		return late
	}
	return errors.Join(refused, others)
}

// elsewhere says where the blocks of a spool for another target are sent.
func elsewhere(e *spool.TargetError) error {
	how := "name that server with --server (or --nats)"
	if e.Holds.Server == e.Asked.Server {
		how = "give a token of their tenant with --token or --token-file"
	}
	return fmt.Errorf("%w, which were not sent: %s, or send them here with --spool %s", e, how, e.Dir)
}

// reportFlushed prints what cannot be read yet, as JSON only.
func reportFlushed(g *global, waiting *knownrecordings.Waiting) error {
	if !g.JSON {
		return nil
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"unreadable": waiting})
}

// refusedError reports blocks that the server has refused permanently.
type refusedError struct {
	dir string
	n   int
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("%s in %s were refused, each for the reason above, and are set aside there; \"tapedeck "+
		"flush\" tries them again", console.Count(e.n, "block"), e.dir)
}

// send sends the contents of one spool. With anyTarget it sends them also if they were recorded for
// another server.
func send(ctx context.Context, opts outlet.Options, dir string, anyTarget bool) error {
	o, err := outlet.OpenSpool(ctx, opts, dir, anyTarget)
	if errors.Is(err, spool.ErrInUse) {
		fmt.Fprintf(os.Stderr, "%s is in use: the server or the recording command that has it open sends it.\n", dir)
		return nil
	}
	if err != nil {
		return err
	}
	defer o.Close()
	if err := drain(ctx, o); err != nil {
		return err
	}
	if n := o.Refused(); n > 0 {
		return &refusedError{dir, n}
	}
	fmt.Fprintf(os.Stderr, "sent what waited in %s\n", dir)
	return nil
}
