package settings

import (
	"time"

	"tapedeck/internal/app/lifecycle/erasure"
)

// Erasures are the settings of erasures.
type Erasures struct {
	EraseWithin time.Duration `help:"Time within which an erasure should be verified; later ones are shown as overdue." default:"1h" min:">0" env:"TAPEDECK_ERASE_WITHIN" placeholder:"D"`
}

// ErasureOptions returns the settings of erasures.
func (f *Erasures) ErasureOptions() erasure.Options { return erasure.Options{Within: f.EraseWithin} }
