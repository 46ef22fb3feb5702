package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/discovery"
)

// kustomizeVersion is that of the Kustomize which kubectl 1.36 contains.
const kustomizeVersion = "v5.8.1"

// runVersion is kubectl version. Upstream: kubectl pkg/cmd/version/version.go, Options.Run.
func runVersion(s *session) error {
	if len(s.args) > 0 {
		return fmt.Errorf("extra arguments: %v", s.args)
	}
	both := struct {
		ClientVersion    discovery.VersionInfo  `json:"clientVersion"`
		KustomizeVersion string                 `json:"kustomizeVersion"`
		ServerVersion    *discovery.VersionInfo `json:"serverVersion,omitempty"`
	}{discovery.Version(), kustomizeVersion, nil}
	if !s.flags.yes("client") {
		both.ServerVersion = &both.ClientVersion
	}
	switch s.flags.text("output") {
	case "":
	case "json":
		text, err := json.MarshalIndent(both, "", "  ")
		s.printf("%s\n", text)
		return err
	case "yaml":
		s.printf("%s", yamlText(tree(both)))
		return nil
	default:
		return errors.New("--output must be 'yaml' or 'json'")
	}
	s.printf("Client Version: %s\nKustomize Version: %s\n", api.Version, kustomizeVersion)
	if both.ServerVersion != nil {
		s.printf("Server Version: %s\n", discovery.Version().GitVersion)
	}
	return nil
}

// runAPIVersions is kubectl api-versions. Upstream: kubectl pkg/cmd/apiresources/apiversions.go, RunAPIVersions.
func runAPIVersions(s *session) error {
	if len(s.args) > 0 {
		return noArguments(s)
	}
	var names []string
	for _, gv := range s.api().GroupVersions() {
		names = append(names, gv.String())
	}
	slices.Sort(names)
	for _, n := range names {
		s.printf("%s\n", n)
	}
	return nil
}
