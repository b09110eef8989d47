// Command compose reads a compose file as docker compose does, and prints the project as JSON.
// It is a separate module, so that the product's module does not list its dependencies.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "compose:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, files []string) error {
	options, err := cli.NewProjectOptions(files, cli.WithOsEnv, cli.WithDotEnv, cli.WithInterpolation(true),
		cli.WithResolvedPaths(true), cli.WithConsistency(true))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(project)
}
