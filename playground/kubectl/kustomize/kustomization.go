package kustomize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"strings"
)

// Kustomization is what a kustomization says. Upstream: api/types/kustomization.go; the names of types are in the errors of encoding/json.
type Kustomization struct {
	Kind                  string             `json:"kind"`
	APIVersion            string             `json:"apiVersion"`
	MetaData              any                `json:"metadata"`
	NamePrefix            string             `json:"namePrefix"`
	NameSuffix            string             `json:"nameSuffix"`
	Namespace             string             `json:"namespace"`
	CommonLabels          map[string]string  `json:"commonLabels"`
	Labels                []Label            `json:"labels"`
	CommonAnnotations     map[string]string  `json:"commonAnnotations"`
	PatchesStrategicMerge []string           `json:"patchesStrategicMerge"`
	PatchesJson6902       []Patch            `json:"patchesJson6902"`
	Patches               []Patch            `json:"patches"`
	Images                []Image            `json:"images"`
	ImageTags             []Image            `json:"imageTags"`
	Replacements          []ReplacementField `json:"replacements"`
	Replicas              []Replica          `json:"replicas"`
	SortOptions           *SortOptions       `json:"sortOptions"`
	Resources             []string           `json:"resources"`
	Components            []string           `json:"components"`
	Bases                 []string           `json:"bases"`
	ConfigMapGenerator    []ConfigMapArgs    `json:"configMapGenerator"`
	SecretGenerator       []SecretArgs       `json:"secretGenerator"`
	GeneratorOptions      *GeneratorOptions  `json:"generatorOptions"`
}

// Label is labels for all resources.
type Label struct {
	Pairs            map[string]string `json:"pairs"`
	IncludeSelectors bool              `json:"includeSelectors"`
	IncludeTemplates bool              `json:"includeTemplates"`
	Fields           []FieldSpec       `json:"fields"`
}

// FieldSpec is a field of some kinds.
type FieldSpec struct {
	Gvk
	Path   string `json:"path"`
	Create bool   `json:"create"`
}

// Patch is a strategic merge patch or a JSON patch.
type Patch struct {
	Path    string     `json:"path,omitempty"`
	Patch   string     `json:"patch,omitempty"`
	Target  *Selector  `json:"target,omitempty"`
	Options *PatchArgs `json:"options,omitempty"`
}

// PatchArgs is what a patch may change beyond its target's fields.
type PatchArgs struct {
	AllowNameChange bool `json:"allowNameChange,omitempty"`
	AllowKindChange bool `json:"allowKindChange,omitempty"`
}

// Image is another name, tag or digest for an image.
type Image struct {
	Name      string `json:"name"`
	NewName   string `json:"newName"`
	TagSuffix string `json:"tagSuffix"`
	NewTag    string `json:"newTag"`
	Digest    string `json:"digest"`
}

// Replica is how many replicas the resource of a name has.
type Replica struct {
	Name  string      `json:"name"`
	Count json.Number `json:"count"`
}

// SortOptions is an order of what is built.
type SortOptions struct {
	Order             string             `json:"order"`
	LegacySortOptions *LegacySortOptions `json:"legacySortOptions"`
}

// LegacySortOptions are kinds that come first and last.
type LegacySortOptions struct {
	OrderFirst []string `json:"orderFirst"`
	OrderLast  []string `json:"orderLast"`
}

// absent are the fields that upstream has and this engine lacks.
var absent = []string{"buildMetadata", "configurations", "crds", "generators", "helmChartInflationGenerator", "helmCharts", "helmGlobals", "openapi",
	"transformers", "validators", "vars"}

// target is a folder that is built. Upstream: api/internal/target/kusttarget.go, KustTarget, with its loader.
type target struct {
	*builder
	k    Kustomization
	root string
	from *target // whoever names it
}

// load reads the folder's kustomization. Upstream: kusttarget.go, Load.
func (t *target) load() error {
	var text json.RawMessage
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if found, err := t.read(name); err == nil {
			if text != nil {
				return fmt.Errorf("Found multiple kustomization files under: %s\n", t.root)
			}
			text = found
		}
	}
	if text == nil {
		return fmt.Errorf("unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '%s'", t.root)
	}
	doc, err := decode(text)
	if err != nil {
		return fmt.Errorf("invalid Kustomization: %w", err)
	}
	if docs, ok := doc.([]any); ok && len(docs) > 0 {
		doc = docs[0]
	}
	fields, _ := doc.(map[string]any)
	for _, name := range absent {
		if _, there := fields[name]; there {
			return fmt.Errorf("the field %q of a kustomization is absent here", name)
		}
	}
	text, _ = json.Marshal(doc) // sorted
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	k := &t.k
	if err := d.Decode(k); err != nil {
		return fmt.Errorf("invalid Kustomization: %w", err)
	}
	t.deprecated(k.Bases != nil, "bases", "resources")
	t.deprecated(k.CommonLabels != nil, "commonLabels", "labels")
	t.deprecated(k.ImageTags != nil, "imageTags", "images")
	t.deprecated(k.PatchesJson6902 != nil, "patchesJson6902", "patches")
	t.deprecated(k.PatchesStrategicMerge != nil, "patchesStrategicMerge", "patches")
	if k.Kind == "" {
		k.Kind = "Kustomization"
	}
	version := "kustomize.config.k8s.io/v1beta1"
	if k.Kind == component {
		version = "kustomize.config.k8s.io/v1alpha1"
	}
	if k.APIVersion == "" {
		k.APIVersion = version
	}
	if reflect.DeepEqual(*k, Kustomization{Kind: k.Kind, APIVersion: k.APIVersion}) {
		return errors.New("kustomization.yaml is empty")
	}
	wrong := ""
	if k.Kind != "Kustomization" && k.Kind != component {
		wrong += "\nkind should be Kustomization or Component"
	}
	if k.APIVersion != version {
		wrong += "\napiVersion for " + k.Kind + " should be " + version
	}
	if wrong != "" {
		return fmt.Errorf("Failed to read kustomization file under %s:%s", t.root, wrong)
	}
	k.Resources, k.Images = append(k.Resources, k.Bases...), append(k.Images, k.ImageTags...)
	return nil
}

const component = "Component"

func (t *target) deprecated(there bool, field, instead string) {
	if there {
		t.result.Warnings = append(t.result.Warnings,
			fmt.Sprintf("# Warning: '%s' is deprecated. Please use '%s' instead. Run 'kustomize edit fix' to update your Kustomization automatically.", field, instead))
	}
}

// accumulate adds the folder's resources, changed as it says, to those of the folder that it is a component of.
// Upstream: kusttarget.go, accumulateTarget.
func (t *target) accumulate(all resources) (resources, error) {
	var err error
	for _, name := range t.k.Resources {
		var more resources
		errFile := t.file(&more, name)
		if errFile == nil {
			if all, err = all.add(more); err == nil {
				continue
			}
			errFile = fmt.Errorf("merging resources from '%s': %w", name, err)
		}
		sub, err := t.folder(name)
		if err == nil {
			all, err = sub.directory(all, false)
		}
		if err != nil {
			return nil, fmt.Errorf("accumulating resources: accumulation err='%v': %w", errFile, err)
		}
	}
	if all, err = t.generate(all); err != nil {
		return nil, err
	}
	for _, name := range t.k.Components {
		sub, err := t.folder(name)
		if err != nil {
			return nil, fmt.Errorf("accumulating components: loader.New %q", err.Error())
		}
		if all, err = sub.directory(all, true); err != nil {
			return nil, fmt.Errorf("accumulating components: accumulateDirectory: %q", err.Error())
		}
	}
	return t.transform(all)
}

// file reads resources from a file.
func (t *target) file(into *resources, name string) error {
	text, err := t.read(name)
	if err == nil {
		*into, err = parse(text)
	}
	if err == nil {
		*into, err = resources(nil).add(*into)
	}
	if err != nil {
		return fmt.Errorf("accumulating resources from '%s': %w", name, err)
	}
	return nil
}

// directory adds what another folder makes. Upstream: kusttarget.go, accumulateDirectory.
func (t *target) directory(all resources, isComponent bool) (resources, error) {
	if err := t.load(); err != nil {
		return nil, fmt.Errorf("couldn't make target for path '%s': %w", t.root, err)
	}
	switch is := t.k.Kind == component; {
	case isComponent && !is:
		return nil, fmt.Errorf("expected kind 'Component' for path '%s' but got '%s'", t.root, t.k.Kind)
	case is && !isComponent:
		return nil, fmt.Errorf("expected kind != 'Component' for path '%s'", t.root)
	}
	var before, made resources
	if isComponent {
		before = all
		all = nil
	}
	made, err := t.accumulate(before)
	if err != nil {
		return nil, fmt.Errorf("recursed accumulation of path '%s': %w", t.root, err)
	}
	if all, err = all.add(made); err != nil {
		return nil, fmt.Errorf("recursed merging from path '%s': %w", t.root, err)
	}
	return all, nil
}

// mostFolders bounds a build: each folder may name another one twice.
const mostFolders = 200

// folder is another folder, which the target names. Upstream: api/internal/loader/fileloader.go, FileLoader.New.
func (t *target) folder(name string) (*target, error) {
	switch {
	case name == "":
		return nil, errors.New("new root cannot be empty")
	case remote(name):
		return nil, fmt.Errorf("what is not on this machine is absent here: %s", name)
	case path.IsAbs(name):
		return nil, fmt.Errorf("new root '%s' cannot be absolute", name)
	}
	root := path.Join(t.root, name)
	if err := t.confirm(root, root); err != nil {
		return nil, err
	}
	for at := t; at != nil; at = at.from {
		if within(at.root, root) {
			return nil, fmt.Errorf("cycle detected: candidate root '%s' contains visited root '%s'", root, at.root)
		}
	}
	if t.result.Folders = append(t.result.Folders, root); len(t.result.Folders) > mostFolders {
		return nil, errors.New("a kustomization of more than 200 folders is too large")
	}
	return &target{builder: t.builder, root: root, from: t}, nil
}

// read is a file below the folder. Upstream: fileloader.go, Load, and loadrestrictions.go, RestrictionRootOnly.
func (t *target) read(name string) (json.RawMessage, error) {
	if remote(name) {
		return nil, fmt.Errorf("what is not on this machine is absent here: %s", name)
	}
	file := name
	if !path.IsAbs(name) {
		file = path.Join(t.root, name)
	}
	switch folder, err := t.stat(file, file); {
	case err != nil:
		return nil, err
	case folder:
		return nil, fmt.Errorf("'%s' must resolve to a file", file)
	case !within(path.Dir(path.Clean(file)), t.root):
		return nil, fmt.Errorf("security; file '%s' is not in or below '%s'", file, t.root)
	}
	return t.files[strings.TrimPrefix(path.Clean(file), home)], nil
}

// content is a file as a text.
func (t *target) content(name string) (string, error) {
	text, err := t.read(name)
	if err != nil {
		return "", err
	}
	var s string
	if json.Unmarshal(text, &s) == nil {
		return s, nil
	}
	if v, err := decode(text); err == nil {
		return t.yaml(v), nil
	}
	return string(text), nil
}

// home is where relative paths begin.
const home = "/home/user/"

// confirm sees that a folder is there. shown is what errors call it. Upstream: kyaml/filesys/filesystem.go, ConfirmDir.
func (b *builder) confirm(folder, shown string) error {
	isFolder, err := b.stat(folder, shown)
	if err != nil {
		return fmt.Errorf("must build at directory: not a valid directory: %w", err)
	}
	if !isFolder {
		return fmt.Errorf("must build at directory: '%s': file is not directory", shown)
	}
	return nil
}

// stat says whether a path is a folder. Upstream: kyaml/filesys/fsondisk.go, CleanedAbs.
func (b *builder) stat(file, shown string) (folder bool, err error) {
	at := "/"
	for _, name := range strings.Split(strings.Trim(path.Clean(file), "/"), "/") {
		at = path.Join(at, name)
		rest, below := strings.CutPrefix(at+"/", home)
		folder = strings.HasPrefix(home, at+"/") || at == "/"
		name := strings.TrimSuffix(rest, "/")
		if _, there := b.files[name]; below && there {
			b.result.Files = append(b.result.Files, name)
			continue
		}
		for name := range b.files { // order: one is enough
			folder = folder || below && strings.HasPrefix(name, rest)
		}
		if !folder {
			return false, fmt.Errorf("evalsymlink failure on '%s' : lstat %s: no such file or directory", shown, at)
		}
	}
	return folder, nil
}

// within says that a folder is another one or below it. Upstream: kyaml/filesys/confirmeddir.go, HasPrefix.
func within(folder, other string) bool {
	return strings.HasPrefix(folder+"/", strings.TrimSuffix(other, "/")+"/")
}

func remote(name string) bool {
	return strings.Contains(name, "://") || strings.HasPrefix(name, "git@") || strings.HasPrefix(name, "github.com")
}

func decode(text []byte) (out any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&out)
	return out, err
}
