package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/query/billing/reconcile/providerexport"
)

// exportFlags select a provider's export.
type exportFlags struct {
	Export   string   `help:"A usage or cost export of OpenAI or Anthropic, CSV or JSON, to compare with." placeholder:"FILE"`
	Provider string   `help:"Whose export it must be: openai or anthropic." placeholder:"NAME"`
	Ignore   []string `help:"Field of the export to leave out, where it is not known." placeholder:"FIELD"`
	All      bool     `help:"List equal figures of the export as well."`
}

// compare prints the comparison of an export. It fails if any figure differs.
func (f *exportFlags) compare(ctx context.Context, g *global, limit int) error {
	if f.Provider != "" && !slices.Contains(providerexport.Providers, f.Provider) {
		return commandline.Errorf("--provider %q: it must be %s", f.Provider,
			strings.Join(providerexport.Providers, " or "))
	}
	e, err := f.read()
	if err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	figures, err := knownrecordings.Usage(ctx, cl, e)
	if err != nil {
		return err
	}
	c := providerexport.Compare(e, figures)
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(c)
	} else {
		err = printers.ProviderComparison(os.Stdout, c, limit, f.All)
	}
	if err == nil && c.Differing() > 0 {
		return exitCode(exitFailed)
	}
	return err
}

func (f *exportFlags) read() (*providerexport.Export, error) {
	file, err := os.Open(f.Export)
	if err != nil {
		return nil, fmt.Errorf("open the export: %w", err)
	}
	defer file.Close()
	e, err := providerexport.Read(file, providerexport.Options{Provider: f.Provider, Ignore: f.Ignore})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Export, err)
	}
	return e, nil
}
