// Package dashboards is the web UI: its sources are in web, and what `make ui`
// built of them is in the program.
//
// The page asks for nothing but its own server: scripts, styles, fonts and
// pictures come from it, and a content security policy has the browser hold to
// that. Styles that the page makes at run time carry a nonce that is another in
// each answer.
package dashboards
