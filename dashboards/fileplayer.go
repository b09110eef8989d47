package dashboards

import "io/fs"

// Player is the page that shows a recording which is in a file.
type Player struct {
	Script, Style []byte
	Licences      []byte // the texts of the licences of its parts
}

// FilePlayer returns the player of files. The error is fs.ErrNotExist in a program that was built
// without its UI.
func FilePlayer() (p Player, err error) {
	for _, part := range []struct {
		to   *[]byte
		name string
	}{{&p.Script, "player.js"}, {&p.Style, "player.css"}, {&p.Licences, "licences.txt"}} {
		if *part.to, err = fs.ReadFile(files(), "file/"+part.name); err != nil {
			return Player{}, err
		}
	}
	return p, nil
}
