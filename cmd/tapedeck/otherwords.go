package main

// otherWords has, for words that other tools have as commands, what is typed here.
var otherWords = map[string]string{
	"list": "tapedeck sessions", "ls": "tapedeck sessions", "ps": "tapedeck open", "top": "tapedeck open",
	"session": "tapedeck sessions", "runs": "tapedeck sessions", "traces": "tapedeck sessions", "history": "tapedeck sync list",
	"delete": "tapedeck erase SESSION", "del": "tapedeck erase SESSION", "rm": "tapedeck erase SESSION",
	"remove": "tapedeck erase SESSION", "prune": "tapedeck retention show", "gc": "tapedeck retention show",
	"logs": "tapedeck show SESSION --text", "log": "tapedeck show SESSION --text", "cat": "tapedeck show SESSION --text",
	"messages": "tapedeck show SESSION --text", "transcript": "tapedeck show SESSION --text",
	"info": "tapedeck show SESSION", "get": "tapedeck show SESSION", "view": "tapedeck show SESSION",
	"inspect": "tapedeck show SESSION", "describe": "tapedeck show SESSION", "trace": "tapedeck show SESSION",
	"tail": "tapedeck play --follow SESSION", "attach": "tapedeck play --follow SESSION", "replay": "tapedeck play SESSION",
	"status": "tapedeck doctor", "check": "tapedeck doctor", "ping": "tapedeck health", "ready": "tapedeck health --ready",
	"start": "tapedeck up", "server": "tapedeck up", "init": "tapedeck up",
	"run": "tapedeck record -- COMMAND", "exec": "tapedeck record -- COMMAND", "capture": "tapedeck record -- COMMAND",
	"find": "tapedeck search WORDS", "grep": "tapedeck search WORDS", "query": "tapedeck search WORDS",
	"compare": "tapedeck diff A B", "cost": "tapedeck usage", "costs": "tapedeck usage", "tokens-used": "tapedeck usage",
	"stats": "tapedeck usage", "report": "tapedeck usage", "invoice": "tapedeck bills invoice NUMBER",
	"mock": "tapedeck emulate PROTOCOL SESSION", "save": "tapedeck export SESSION -o FILE", "load": "tapedeck import FILE",
	"login": "tapedeck tokens create NAME", "token": "tapedeck tokens list", "mask": "tapedeck redact SESSION",
	"update": "tapedeck migrate", "upgrade": "tapedeck migrate", "settings": "tapedeck config print",
	"env": "tapedeck config print",
}

// otherWord returns what to type in place of a word that is no command, "" if the word is not known.
func otherWord(word, server string) string {
	switch word {
	case "ui", "web", "browse", "dashboard":
		return "open " + server + " in a browser"
	case "stop", "down", "kill", "quit":
		return `Ctrl-C stops "tapedeck up" and a recording`
	}
	if command, ok := otherWords[word]; ok {
		return `type "` + command + `"`
	}
	return ""
}
