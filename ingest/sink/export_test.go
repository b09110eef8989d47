package sink

// HeldMessages counts the messages that the sinks of this process have received and not settled.
var HeldMessages = heldMessages
