package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/command/tapeimport"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/replay/tapefile"
)

// importCommand records the sessions of a tape file.
type importCommand struct {
	settings.CommandSpool
	settings.NATSClient
	File    string `arg:"" predictor:"file" help:"The tape file, or - for standard input."`
	Session string `help:"Give the file's one session this id: a copy of its own." placeholder:"ID"`
	Tenant  string `help:"The tenant." default:"default" placeholder:"T"`
	Check   bool   `help:"Only read the file and print what is in it; nothing is sent."`
	NoNotes bool   `help:"Leave the notes of the sessions out." name:"no-notes"`
	NATS    string `help:"Publish to this NATS server instead of through the tapedeck server." name:"nats" env:"TAPEDECK_NATS" placeholder:"URL"`
	waitFlags

	unread *knownrecordings.Waiting // nil with Check
}

// Run reads the file from its beginning to its end, or to the point where it breaks off.
func (c *importCommand) Run(ctx context.Context, g *global) error {
	if err := errors.Join(checkStream(c.Tenant, c.Session, ""), c.CheckSpool(), c.checkWait()); err != nil {
		return err
	}
	file, err := c.open()
	if err != nil {
		return err
	}
	defer file.Close()
	if c.Check {
		im := tapeimport.New(c.Tenant, c.Session, nil)
		return c.report(g, im, "holds", im.Import(ctx, file))
	}
	out, err := openOutlet(ctx, g, &c.NATSClient,
		outlet.Options{NATS: c.NATS, Sync: c.Sync(), SpoolLimit: int64(c.SpoolLimit)})
	if err != nil {
		return err
	}
	defer out.Close()
	im := tapeimport.New(c.Tenant, c.Session, out.Publisher())
	began, size := time.Now(), int64(0)
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	read := &countingReader{Reader: file}
	shown := console.ShowProgress(func() string {
		return strings.TrimSpace(fmt.Sprintf("%s imported  %s", console.Count(im.Frames(), "frame"), console.Part(read.read.Load(), size, began)))
	})
	err = im.Import(ctx, read)
	shown.End()
	if drained := drain(context.WithoutCancel(ctx), out); drained != nil {
		return errors.Join(err, drained)
	}
	waiting := c.waitReadable(ctx, g, c.NATS)
	c.unread = &waiting
	noted := c.restoreNotes(ctx, g, im)
	if err = c.report(g, im, "imported", err); err == nil {
		err = noted
	}
	if late := c.reportWaiting(g, &waiting); err == nil {
		err = late
	}
	return err
}

// open opens the file, which is read once from its beginning to its end. So it may be a pipe unless
// it must be scanned first.
func (c *importCommand) open() (*os.File, error) {
	if c.File == "-" {
		if c.Session != "" {
			return nil, commandline.Errorf("--session needs a file, to see beforehand that it holds one session")
		}
		c.File = "standard input"
		return os.Stdin, nil
	}
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		return nil, commandline.Errorf("%s is a directory, name a tape file", c.File)
	}
	if c.Session != "" {
		if err := c.checkOne(); err != nil {
			return nil, err
		}
	}
	return os.Open(c.File)
}

// checkOne checks that the file contains only the session that is renamed.
func (c *importCommand) checkOne() error {
	f, err := tapefile.Open(c.File, tapefile.Options{})
	if err != nil {
		return err
	}
	defer f.Close()
	if n := len(f.Sessions()); n != 1 {
		return commandline.Errorf("--session renames one session, and %s holds %s", c.File, console.Count(n, "session"))
	}
	return nil
}

// report prints the result. err is the reason why the import is incomplete.
func (c *importCommand) report(g *global, im *tapeimport.Importer, did string, err error) error {
	if _, broken := errors.AsType[*tapefile.BreakError](err); err != nil && !broken && len(im.Sessions) == 0 {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if g.JSON {
		answer := map[string]any{"items": im.Sessions, "next": nil, "complete": err == nil, "unreadable": c.unread}
		if encoding := json.NewEncoder(os.Stdout).Encode(answer); encoding != nil {
			return encoding
		}
	} else {
		w := os.Stderr
		if c.Check {
			w = os.Stdout
		}
		if err := printers.Imported(w, im.Sessions, did); err != nil {
			return err
		}
	}
	if err != nil {
		printers.Missing(os.Stderr, im.Sessions, c.Check)
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return nil
}
