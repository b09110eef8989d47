package dashboards

import "io/fs"

// FilePlayer returns the script and the styles of the page that shows a recording which is in a file. The
// error is fs.ErrNotExist in a program that was built without its UI.
func FilePlayer() (script, style []byte, err error) {
	if script, err = fs.ReadFile(files(), "file/player.js"); err != nil {
		return nil, nil, err
	}
	style, err = fs.ReadFile(files(), "file/player.css")
	return script, style, err
}
