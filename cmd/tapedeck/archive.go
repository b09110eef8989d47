package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tapedeck/internal/app/command/archive"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// archiveCommand copies tapes of ended sessions and charges of past days to a directory or a bucket.
type archiveCommand struct {
	S3KeyID      string `help:"Key of an S3-compatible storage; its secret is in AWS_SECRET_ACCESS_KEY or --s3-secret-file. Default: the credentials of this machine (AWS)." name:"s3-key-id" env:"AWS_ACCESS_KEY_ID" placeholder:"ID"`
	S3SecretFile string `help:"File that holds the secret of --s3-key-id." name:"s3-secret-file" env:"AWS_SECRET_ACCESS_KEY_FILE" type:"path" placeholder:"FILE"`

	To     string        `arg:"" help:"Where: a directory, or https://HOST/BUCKET/PREFIX of an S3-compatible storage." placeholder:"PLACE"`
	Every  time.Duration `help:"Run again at this interval, until interrupted." placeholder:"D"`
	All    bool          `help:"Compare all sessions of the server with the archive, also those without a frame since the last run: after old recordings were imported. Read the files of charges, and write those again that are missing or changed."`
	Verify bool          `help:"Read the archive, without a server, and compare each file with its SHA-256."`
}

func (c *archiveCommand) Help() string {
	return `Each run copies what is new or has changed: tapes/ has the tape of each session that has ended, by the day of its start, and charges/ the charges of each past day (UTC) as Parquet. A run that is interrupted is continued by the next one. The archive keeps sessions that the server deletes or expires.`
}

// Run makes one run, or one at each interval.
func (c *archiveCommand) Run(ctx context.Context, g *global) error {
	place, err := c.place()
	switch {
	case err != nil:
		return err
	case c.Verify && (c.Every != 0 || c.All):
		return commandline.Errorf("--verify reads the archive: it goes neither with --every nor with --all")
	case c.Every != 0 && c.Every < time.Second:
		return commandline.Errorf("--every %s: it must be 1s or more", c.Every)
	case c.Verify:
		return c.verify(ctx, g, place)
	}
	client, err := g.reader()
	if err != nil {
		return err
	}
	for {
		result, err := archive.Run(ctx, archive.Options{Client: client, Place: place, All: c.All, Said: func(line string) { fmt.Fprintln(console.To(os.Stderr), line) }})
		if err == nil || result.Tapes+result.Days > 0 {
			err = errors.Join(err, c.print(g, "archived to "+c.To+": "+result.String(), result))
		}
		if err == nil && result.Failed > 0 {
			err = fmt.Errorf("%d sessions or days could not be archived: the next run tries them again", result.Failed)
		}
		if ctx.Err() != nil {
			return errors.New("interrupted: the next run continues")
		}
		if c.Every == 0 {
			return err
		}
		if err != nil {
			fmt.Fprintf(console.To(os.Stderr), "error: %v; next run in %s\n", err, c.Every)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.Every):
		}
	}
}

// place returns the place that is named.
func (c *archiveCommand) place() (archive.Place, error) {
	if !strings.Contains(c.To, "://") {
		if c.To == "" {
			return nil, commandline.Errorf("name a directory, or https://HOST/BUCKET/PREFIX of an S3-compatible storage")
		}
		return archive.Directory(c.To), checkPlaceWord(c.To)
	}
	if !strings.HasPrefix(c.To, "https://") && !strings.HasPrefix(c.To, "http://") {
		return nil, commandline.Errorf("place of an archive %q: name a directory, or https://HOST/BUCKET/PREFIX of an S3-compatible storage", c.To)
	}
	key, err := (&storageKey{S3KeyID: c.S3KeyID, S3SecretFile: c.S3SecretFile}).keys()
	if err != nil {
		return nil, err
	}
	if (key.ID == "") != (key.Secret == "") {
		return nil, commandline.Errorf("one half of the S3 key is missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither")
	}
	p, err := archive.Bucket(c.To, key.ID, key.Secret)
	if err != nil {
		return nil, commandline.Errorf("%w", err)
	}
	return p, nil
}

// placeAdvice returns what to do instead of typing a word as a command of "tapedeck archive"; "" for other words.
func placeAdvice(word string) string {
	switch word {
	case "help":
		return `type "tapedeck archive --help"`
	case "restore":
		return `"tapedeck import FILE" brings a tape of an archive back`
	case "list", "ls", "show", "delete", "rm", "remove", "prune":
		return "an archive is a directory of files, which other tools list and delete"
	case "status", "info", "verify", "check", "logs":
		return `"tapedeck archive PLACE --verify" checks an archive`
	case "create", "run", "start":
		return `"tapedeck archive PLACE" writes an archive`
	}
	return ""
}

// checkPlaceWord refuses a word that is typed as a command, unless there is a directory of that name.
func checkPlaceWord(word string) error {
	advice := placeAdvice(word)
	if _, err := os.Stat(word); advice == "" || err == nil {
		return nil
	}
	return commandline.Errorf("\"tapedeck archive\" has no command %q: %s; \"tapedeck archive ./%s\" archives to a directory of that name", word, advice, word)
}

// verify checks the files of the archive.
func (c *archiveCommand) verify(ctx context.Context, g *global, place archive.Place) error {
	checked, err := archive.Verify(ctx, place, func(line string) { fmt.Fprintln(console.To(os.Stderr), line) })
	if err != nil {
		return err
	}
	text := fmt.Sprintf("read %s, %s of charges, %s", console.Count(checked.Tapes, "tape"), console.Count(checked.Days, "day"), console.Count(checked.Bytes, "byte"))
	if err := c.print(g, text, checked); err != nil {
		return err
	}
	switch {
	case checked.Bad > 0:
		return fmt.Errorf("%s missing or changed: the next run with --all writes charges again, and tapes if the index of their day (tapes/…/index.ndjson) is removed before", console.Count(checked.Bad, "file"))
	case checked.Tapes+checked.Days == 0:
		return fmt.Errorf("%s has no archive: \"tapedeck archive\" writes one", c.To)
	}
	return nil
}

// print prints a line, or a value as JSON.
func (c *archiveCommand) print(g *global, line string, value any) error {
	if g.JSON {
		return json.NewEncoder(console.Recorded(os.Stdout)).Encode(value)
	}
	_, err := fmt.Println(line)
	return err
}
