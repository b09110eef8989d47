package codexappserver

import "tapedeck/ingest/dialect"

// methods has the methods of both sides. Methods without a handler are known, and are requests or
// notifications without facts.
var methods = dialect.NewTypes(map[string]func(*thread, *message){
	// Requests of the client.
	"turn/start": (*thread).turnRequest, "turn/steer": (*thread).steer, "review/start": (*thread).reviewRequest,
	"initialize": nil, "initialized": nil, "turn/interrupt": nil,
	"thread/start": nil, "thread/resume": nil, "thread/fork": nil, "thread/read": nil, "thread/list": nil,
	"thread/loaded/list": nil, "thread/archive": nil, "thread/unarchive": nil, "thread/unsubscribe": nil,
	"thread/name/set": nil, "thread/compact/start": nil, "thread/rollback": nil, "thread/inject_items": nil,
	"thread/turns/list": nil, "thread/turns/items/list": nil, "thread/shellCommand": nil, "thread/metadata/update": nil,
	"model/list": nil, "skills/list": nil, "plugin/list": nil, "app/list": nil, "hooks/list": nil,
	"command/exec": nil, "command/exec/write": nil, "command/exec/resize": nil, "command/exec/terminate": nil,
	"config/read": nil, "config/value/write": nil, "config/batchWrite": nil, "configRequirements/read": nil,
	"account/read": nil, "account/login/start": nil, "account/login/cancel": nil, "account/logout": nil,
	"account/rateLimits/read": nil, "feedback/upload": nil, "fuzzyFileSearch": nil,
	"mcpServer/oauth/login": nil, "mcpServerStatus/list": nil, "config/mcpServer/reload": nil,
	"mcpServer/resource/read": nil, "mcpServer/tool/call": nil, "thread/goal/set": nil, "thread/goal/get": nil,
	"thread/goal/clear": nil, "thread/backgroundTerminals/clean": nil, "collaborationMode/list": nil,
	"experimentalFeature/list": nil, "permissionProfile/list": nil, "skills/config/write": nil,
	"plugin/read": nil, "plugin/install": nil, "plugin/uninstall": nil, "plugin/installed": nil,
	"fs/readFile": nil, "fs/writeFile": nil, "fs/createDirectory": nil, "fs/getMetadata": nil, "fs/readDirectory": nil,
	"fs/remove": nil, "fs/copy": nil, "fs/watch": nil, "fs/unwatch": nil,
	"fuzzyFileSearch/sessionStart": nil, "fuzzyFileSearch/sessionUpdate": nil, "fuzzyFileSearch/sessionStop": nil,

	// Requests of the server.
	"item/commandExecution/requestApproval": (*thread).approval, "item/fileChange/requestApproval": (*thread).approval,
	"item/permissions/requestApproval": (*thread).approval, "item/tool/requestUserInput": (*thread).approval,
	"item/tool/call": nil, "mcpServer/elicitation/request": nil, "account/chatgptAuthTokens/refresh": nil,
	"applyPatchApproval": nil, "execCommandApproval": nil,

	// Notifications of the server.
	"turn/started": (*thread).turnStarted, "turn/completed": (*thread).turnCompleted,
	"turn/plan/updated": (*thread).planUpdated, "error": (*thread).error, "model/rerouted": (*thread).rerouted,
	"thread/tokenUsage/updated": (*thread).tokenUsage,
	"item/started":              (*thread).itemStarted, "item/completed": (*thread).itemCompleted,
	"item/agentMessage/delta": (*thread).agentMessageDelta, "item/plan/delta": (*thread).planDelta,
	"item/reasoning/summaryTextDelta": (*thread).summaryDelta, "item/reasoning/textDelta": (*thread).reasoningDelta,
	"item/commandExecution/outputDelta": (*thread).outputDelta,
	"item/reasoning/summaryPartAdded":   (*thread).summaryPart, "item/commandExecution/terminalInteraction": nil,
	"item/fileChange/outputDelta": nil, "item/fileChange/patchUpdated": nil, "item/mcpToolCall/progress": nil,
	"item/autoApprovalReview/started": nil, "item/autoApprovalReview/completed": nil, "rawResponseItem/completed": nil,
	"thread/started": nil, "thread/status/changed": nil, "thread/archived": nil, "thread/unarchived": nil,
	"thread/closed": nil, "thread/compacted": nil, "thread/name/updated": nil, "thread/goal/updated": nil,
	"thread/goal/cleared": nil, "turn/diff/updated": nil, "hook/started": nil, "hook/completed": nil,
	"serverRequest/resolved": nil, "skills/changed": nil, "account/updated": nil, "account/login/completed": nil,
	"account/rateLimits/updated": nil, "app/list/updated": nil, "mcpServer/oauthLogin/completed": nil,
	"mcpServer/startupStatus/updated": nil, "command/exec/outputDelta": nil, "process/outputDelta": nil,
	"process/exited": nil, "fs/changed": nil, "model/verification": nil, "warning": nil, "guardianWarning": nil,
	"configWarning": nil, "deprecationNotice": nil, "remoteControl/status/changed": nil,
	"fuzzyFileSearch/sessionUpdated": nil, "fuzzyFileSearch/sessionCompleted": nil,
})
