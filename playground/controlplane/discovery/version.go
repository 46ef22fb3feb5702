package discovery

import (
	"strings"

	"kubewalk/playground/api"
)

// VersionInfo is the answer at /version. Upstream: apimachinery/pkg/version/types.go, Info.
type VersionInfo struct {
	Major        string `json:"major"`
	Minor        string `json:"minor"`
	GitVersion   string `json:"gitVersion"`
	GitCommit    string `json:"gitCommit"`
	GitTreeState string `json:"gitTreeState"`
	BuildDate    string `json:"buildDate"`
	GoVersion    string `json:"goVersion"`
	Compiler     string `json:"compiler"`
	Platform     string `json:"platform"`
}

// Version is the Kubernetes whose API this is.
func Version() VersionInfo {
	parts := strings.Split(strings.TrimPrefix(api.Version, "v"), ".")
	return VersionInfo{Major: parts[0], Minor: parts[1], GitVersion: api.Version, GitTreeState: "archive", Compiler: "gc", Platform: "linux/amd64"}
}
