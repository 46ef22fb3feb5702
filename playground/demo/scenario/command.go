package scenario

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
)

// ParseCommand reads a command line of kubectl's. What -f names is one of the
// manifests, with or without .yaml; a folder with a kustomization is made of those whose names begin with it, and what is
// read then are files, by name. So are those that are read as they are; written is what somebody has written into files that hold
// YAML, by their names. The error is a *cluster.CommandError.
func ParseCommand(line string, manifests, written map[string]json.RawMessage) (args []string, manifest json.RawMessage, err error) {
	args, err = cluster.ParseCommand(line)
	if err != nil {
		return nil, nil, err
	}
	if folder := cluster.FolderOf(args); folder != "" {
		needed, err := cluster.FolderFiles(Files(manifests), folder)
		if err != nil {
			wrong := &cluster.CommandError{At: max(0, strings.LastIndex(line, folder)), Message: "error: " + err.Error()}
			for name := range manifests { // order: whoever shows them looks for the nearest, or sorts
				if IsKustomization(name) && path.Dir(name) != "." {
					wrong.Cure = append(wrong.Cure, path.Dir(name))
				}
			}
			return nil, nil, wrong
		}
		manifest, _ = json.Marshal(needed) // they are JSON
		return args, manifest, nil
	}
	if wanted := cluster.TextsOf(args); len(wanted) > 0 {
		given := Files(manifests)
		maps.Copy(given, written)
		// Those that are not there may be on the terminal's machine.
		maps.DeleteFunc(given, func(file string, _ json.RawMessage) bool { return !isRead(file, wanted) })
		manifest, _ = json.Marshal(given) // they are JSON
		return args, manifest, nil
	}
	var texts []json.RawMessage
	for _, file := range cluster.ManifestsOf(args) {
		text, ok := manifests[ManifestName(file)]
		if !ok {
			wrong := &cluster.CommandError{At: max(0, strings.LastIndex(line, file)), Message: `error: the path "` + file + `" does not exist`}
			if file == "-" {
				wrong.Message = "error: no objects passed to " + args[0]
			}
			for name := range manifests { // order: whoever shows them looks for the nearest, or sorts
				wrong.Cure = append(wrong.Cure, name+strings.TrimPrefix(file, ManifestName(file)))
			}
			return nil, nil, wrong
		}
		texts = append(texts, text)
	}
	switch len(texts) {
	case 0:
	case 1:
		manifest = texts[0]
	default:
		manifest, _ = json.Marshal(texts) // they are JSON
	}
	return args, manifest, nil
}

// ManifestName is the name of the manifest that a file's name means.
func ManifestName(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml")
}

// FileName is what the file of a manifest is called: a text has its name, others end in .yaml.
func FileName(name string, manifest json.RawMessage) string {
	isText := len(manifest) > 0 && manifest[0] == '"'
	if isText || ManifestName(name) != name || path.Base(name) == "Kustomization" {
		return name
	}
	return name + ".yaml"
}

// Files are manifests by the names of their files.
func Files(manifests map[string]json.RawMessage) map[string]json.RawMessage {
	files := map[string]json.RawMessage{}
	for name, text := range manifests { // order: each fills its own key
		files[FileName(name, text)] = text
	}
	return files
}

// IsKustomization says that a manifest of that name makes its folder one that is built. Upstream: kustomize/api/konfig/general.go,
// RecognizedKustomizationFileNames.
func IsKustomization(name string) bool {
	base := path.Base(name)
	return ManifestName(base) == "kustomization" || base == "Kustomization"
}

// NeededManifests are the names of the manifests that a command line reads.
func NeededManifests(args []string, manifests map[string]json.RawMessage) (names []string) {
	for _, file := range cluster.ManifestsOf(args) {
		names = append(names, ManifestName(file))
	}
	needed := map[string]json.RawMessage{}
	if folder := cluster.FolderOf(args); folder != "" {
		needed, _ = cluster.FolderFiles(Files(manifests), folder)
	}
	texts := cluster.TextsOf(args)
	for name, text := range manifests { // order: a set
		file := FileName(name, text)
		if _, is := needed[file]; is || isRead(file, texts) {
			names = append(names, name)
		}
	}
	return names
}

// isRead says whether a file is among those that are read, or in a folder among them.
func isRead(file string, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(w string) bool { return path.Clean(w) == file || cluster.InFolder(file, w) })
}

// Cure is the word that was probably meant where a command line is wrong; "" for none.
func Cure(line string, wrong *cluster.CommandError) string {
	word, _, _ := strings.Cut(line[min(wrong.At, len(line)):], " ")
	word, _, _ = strings.Cut(word, "=")
	return suggest.Nearest(word, wrong.Cure)
}
