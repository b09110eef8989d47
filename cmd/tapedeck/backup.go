package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
)

// backupCommand backs up an installation, and removes old backups.
type backupCommand struct {
	Create backupCreate `cmd:"" default:"withargs" help:"Back up the installation of a running server."`
	List   backupList   `cmd:"" help:"List the backups that the server made since it was started."`
	Prune  backupPrune  `cmd:"" help:"Remove old backups from a directory."`
}

// storageKey holds the flags with the key for an S3-compatible storage.
type storageKey struct {
	S3KeyID      string `help:"Key of an S3-compatible storage; its secret is in AWS_SECRET_ACCESS_KEY or --s3-secret-file. Default: what ClickHouse has." name:"s3-key-id" env:"AWS_ACCESS_KEY_ID" placeholder:"ID"`
	S3SecretFile string `help:"File that holds the secret of --s3-key-id." name:"s3-secret-file" env:"AWS_SECRET_ACCESS_KEY_FILE" type:"path" placeholder:"FILE"`
}

// keys returns the key for a target that may use it.
func (f *storageKey) keys() (k backup.Keys, err error) {
	k.ID, k.Secret = f.S3KeyID, os.Getenv("AWS_SECRET_ACCESS_KEY")
	if k.Secret != "" && f.S3SecretFile != "" {
		return k, commandline.Errorf("AWS_SECRET_ACCESS_KEY and --s3-secret-file (AWS_SECRET_ACCESS_KEY_FILE) are both set; leave one out")
	}
	if f.S3SecretFile != "" {
		if k.Secret, err = settings.ReadSecret("--s3-secret-file", f.S3SecretFile); err != nil {
			return k, err
		}
	}
	return k, nil
}

// place parses the place of a backup.
func (f *storageKey) place(text string) (backup.Target, error) {
	k, err := f.keys()
	if err != nil {
		return backup.Target{}, err
	}
	t, err := backup.ParseTarget(text, k)
	if err != nil {
		return t, commandline.Errorf("%w", err)
	}
	return t, nil
}

type backupCreate struct {
	storageKey
	To    string        `arg:"" help:"Where: a NAME in ClickHouse's directory of backups, disk:DISK/NAME, or https://… of a bucket." placeholder:"NAME"`
	Base  *string       `help:"An earlier backup: write only what is new since." placeholder:"NAME"`
	Drain time.Duration `help:"How long to wait at most until what was acknowledged before is stored." default:"30s" placeholder:"D"`
}

// backupAdvice returns what to type in place of a word that is meant as a command; "" for other words.
func backupAdvice(word string) string {
	switch word {
	case "help":
		return `type "tapedeck backup --help"`
	case "ls", "show", "status", "info", "get":
		return `"tapedeck backup list" lists backups`
	case "delete", "rm", "remove", "gc":
		return `"tapedeck backup prune" removes old backups`
	case "verify", "check":
		return `"tapedeck verify NAME" checks a backup`
	case "restore":
		return `"tapedeck restore NAME" restores a backup`
	case "new", "run", "start", "make":
		return `"tapedeck backup create NAME" makes a backup`
	}
	return ""
}

// pollBackup is the interval at which the command reads the status of the backup.
const pollBackup = 250 * time.Millisecond

// Run makes the server write a backup, and waits for it.
func (c *backupCreate) Run(ctx context.Context, g *global) error {
	if advice := backupAdvice(c.To); advice != "" {
		return commandline.Errorf("a backup cannot have the name %q: %s", c.To, advice)
	}
	if _, err := c.place(c.To); err != nil {
		return err
	}
	base := ""
	if c.Base != nil {
		if base = *c.Base; base == "" {
			return commandline.Errorf("--base is empty: name an earlier backup, or leave it out for a full one")
		}
		if _, err := c.place(base); err != nil {
			return err
		}
	}
	k, err := c.keys()
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"to": c.To, "base": base,
		"drain_s": int64((c.Drain + time.Second - 1) / time.Second), "s3": k})
	if err != nil {
		return err
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	answer, err := client.Post(ctx, "v1/backups", nil, "application/json", body)
	if err != nil {
		return err
	}
	defer answer.Close()
	var st backup.Status
	if err := json.NewDecoder(answer).Decode(&st); err != nil {
		return fmt.Errorf("read the server's answer to v1/backups: %w", err)
	}
	var steps stepPrinter
	defer steps.end()
	for st.State == backup.Running {
		steps.show(backup.Step{Name: st.Step, Done: st.StepDone, Total: st.StepTotal})
		select {
		case <-ctx.Done():
			return fmt.Errorf("interrupted; the server goes on with the backup %s: \"tapedeck backup list\" shows it",
				st.To)
		case <-time.After(pollBackup):
		}
		if err := client.Get(ctx, "v1/backups/"+url.PathEscape(st.ID), nil, &st); err != nil {
			return err
		}
	}
	steps.end()
	if st.State == backup.Failed {
		return errors.New(st.Error)
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(st)
	}
	printers.Backup(os.Stdout, &st)
	return nil
}
