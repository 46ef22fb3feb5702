//go:build !js || cel

package kubectl

import (
	"encoding/json"

	"kubewalk/playground/kubectl/kustomize"
)

func init() {
	buildFolder = func(files map[string]json.RawMessage, folder string) ([]map[string]any, []string, error) {
		r, err := kustomize.Build(files, folder, yamlText)
		return r.Objects, r.Warnings, err
	}
	neededFiles = kustomize.Needed
}
