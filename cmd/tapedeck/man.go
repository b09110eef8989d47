package main

import (
	"fmt"

	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

// manCommand prints the manual page of the program, for its package.
type manCommand struct{}

// Run prints the page, in roff.
func (manCommand) Run(i *invocation) error {
	page := mangokong.NewManPage(1, i.parser.Model)
	page = page.WithSection("Files", "The reference of settings, guides and recipes are in the folder docs of the source, and with packages in /usr/share/doc/tapedeck.")
	_, err := fmt.Println(page.Build(roff.NewDocument()))
	return err
}
