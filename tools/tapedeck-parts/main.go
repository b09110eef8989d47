// Command tapedeck-parts writes the licences of the program's third-party parts, and its software
// bill of materials. It is a separate program, so that its dependencies are not part of the
// product.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/alecthomas/kong"

	"tapedeck"
	"tapedeck/tools/parts"
)

// cli is the command line.
type cli struct {
	Root     string          `help:"The directory of the source." default:"." type:"existingdir"`
	Licences licencesCommand `cmd:"" help:"Write THIRD_PARTY_LICENCES."`
	SBOM     sbomCommand     `cmd:"" name:"sbom" help:"Write the software bill of materials of a program (CycloneDX)."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var c cli
	parsed := kong.Parse(&c, kong.Name("tapedeck-parts"), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(&c))
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "tapedeck-parts:", err)
		stop()
		os.Exit(1)
	}
}

// all lists the parts, and checks their licences.
func (c *cli) all(ctx context.Context) (modules, packages []*parts.Part, err error) {
	if modules, err = parts.Modules(ctx, c.Root); err != nil {
		return nil, nil, err
	}
	if packages, err = parts.Packages(c.Root); err != nil {
		return nil, nil, err
	}
	return modules, packages, parts.Check(append(modules, packages...))
}

type licencesCommand struct{}

// Run writes the file.
func (*licencesCommand) Run(ctx context.Context, c *cli) error {
	modules, packages, err := c.all(ctx)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := parts.WriteNotices(&text, append(modules, packages...)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Root, parts.File), text.Bytes(), 0o644)
}

type sbomCommand struct {
	Program string `arg:"" help:"The program." type:"existingfile"`
	Out     string `help:"The file to write." required:"" placeholder:"FILE"`
}

// Run writes the bill.
func (s *sbomCommand) Run(ctx context.Context, c *cli) error {
	modules, packages, err := c.all(ctx)
	if err != nil {
		return err
	}
	linked, err := parts.Linked(s.Program, modules)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := parts.WriteSBOM(&text, s.Program, tapedeck.Version(), append(linked, packages...)); err != nil {
		return err
	}
	return os.WriteFile(s.Out, text.Bytes(), 0o644)
}
