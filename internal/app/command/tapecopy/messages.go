package tapecopy

import (
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Messages returns the messages of a session on a tape. If several streams have the same message,
// it returns the longest text.
func Messages(f *tapefile.File, id string) ([]schema.Message, error) {
	var list []schema.Message
	at := map[string]int{}
	err := f.Facts(id, func(b *block.Block) error {
		for _, m := range b.Facts.Messages {
			i, known := at[m.ID]
			if !known {
				at[m.ID] = len(list)
				list = append(list, m)
			} else if len(m.Text) > len(list[i].Text) {
				list[i] = m
			}
		}
		return nil
	})
	return list, err
}

// Title returns the title of a session, or its id.
func Title(t replay.Tape, id string) string {
	for _, s := range t.Streams() {
		if s.Title != "" {
			return s.Title
		}
	}
	return id
}
