package main

import (
	"time"

	"tapedeck/deploy/erasure"
	"tapedeck/internal/usage"
)

// eraseFlags are the settings of erasures.
type eraseFlags struct {
	EraseWithin time.Duration `help:"Time within which an erasure should be verified; later ones are shown as overdue." default:"1h" env:"TAPEDECK_ERASE_WITHIN" placeholder:"D"`
}

func (f *eraseFlags) erasures() (erasure.Options, error) {
	if f.EraseWithin <= 0 {
		return erasure.Options{}, usage.Errorf("--erase-within %v: it must be above 0", f.EraseWithin)
	}
	return erasure.Options{Within: f.EraseWithin}, nil
}
