// Command helmrender renders a chart with several values files, and lints and validates the
// objects. It is a separate module, so that the product's module does not list the dependencies of
// Helm.
//
//	render --schemas DIR CHART VALUES.yaml…
//
// It prints a JSON array with one Result for each file.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	schemas := flag.String("schemas", "", "directory with the OpenAPI descriptions of one version of Kubernetes")
	flag.Parse()
	if flag.NArg() < 2 || *schemas == "" {
		fmt.Fprintln(os.Stderr, "usage: render --schemas DIR CHART VALUES.yaml…")
		os.Exit(2)
	}
	kinds := &kinds{dir: *schemas}
	results := []*Result{}
	for _, file := range flag.Args()[1:] {
		r := render(flag.Arg(0), file)
		for _, o := range r.Objects {
			if err := kinds.validate(o); err != nil {
				r.Invalid = append(r.Invalid, fmt.Sprintf("%v %v: %v", o["kind"], nameOf(o), err))
			}
		}
		results = append(results, r)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

func nameOf(object map[string]any) any {
	meta, _ := object["metadata"].(map[string]any)
	return meta["name"]
}
