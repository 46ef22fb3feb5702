package validation

import (
	"reflect"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
)

// validateVolumeSources checks where a Pod's volume comes from: of what is simulated in full, of the others only that there
// is one. Upstream: core/validation/validation.go, validateVolumeSource.
func validateVolumeSources(s *corev1.VolumeSource, path *field.Path) field.ErrorList {
	errs := onlyOne(reflect.ValueOf(*s), path, "may not specify more than 1 volume type")
	switch {
	case errs != nil:
	case s.EmptyDir != nil:
		if limit := s.EmptyDir.SizeLimit; limit != nil && limit.Sign() < 0 {
			errs = append(errs, field.Forbidden(path.Child("emptyDir", "sizeLimit"), "SizeLimit field must be a valid resource quantity"))
		}
	case s.HostPath != nil:
		errs = append(errs, validatePathNoBacksteps(s.HostPath.Path, path.Child("hostPath", "path"))...)
		errs = append(errs, optional(s.HostPath.Type, path.Child("hostPath", "type"), corev1.HostPathUnset, corev1.HostPathDirectoryOrCreate,
			corev1.HostPathDirectory,
			corev1.HostPathFileOrCreate, corev1.HostPathFile, corev1.HostPathSocket, corev1.HostPathCharDev, corev1.HostPathBlockDev)...)
	case s.Secret != nil:
		at := path.Child("secret")
		if s.Secret.SecretName == "" {
			errs = append(errs, field.Required(at.Child("secretName"), ""))
		}
		errs = append(errs, fileMode(s.Secret.DefaultMode, at.Child("defaultMode"))...)
		errs = append(errs, keysToPaths(s.Secret.Items, at.Child("items"))...)
	case s.ConfigMap != nil:
		at := path.Child("configMap")
		if s.ConfigMap.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		errs = append(errs, fileMode(s.ConfigMap.DefaultMode, at.Child("defaultMode"))...)
		errs = append(errs, keysToPaths(s.ConfigMap.Items, at.Child("items"))...)
	case s.PersistentVolumeClaim != nil:
		if s.PersistentVolumeClaim.ClaimName == "" {
			errs = append(errs, field.Required(path.Child("persistentVolumeClaim", "claimName"), ""))
		}
	case s.DownwardAPI != nil:
		errs = append(errs, fileMode(s.DownwardAPI.DefaultMode, path.Child("downwardAPI", "defaultMode"))...)
		errs = append(errs, downwardFiles(s.DownwardAPI.Items, path.Child("downwardAPI", "items"))...)
	case s.Projected != nil:
		errs = append(errs, validateProjected(s.Projected, path.Child("projected"))...)
	}
	return errs
}

// onlyOne says of each pointer that is set after the first that it is too much. Fields are named as in JSON.
func onlyOne(v reflect.Value, path *field.Path, text string) field.ErrorList {
	var errs field.ErrorList
	n := 0
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			continue
		}
		if n++; n > 1 {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			errs = append(errs, field.Forbidden(path.Child(name), text))
		}
	}
	return errs
}

func fileMode(mode *int32, path *field.Path) field.ErrorList {
	if mode == nil || *mode >= 0 && *mode <= 0o777 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *mode, "must be a number between 0 and 0777 (octal), both inclusive")}
}

// keysToPaths is upstream's validateKeyToPath, of each.
func keysToPaths(items []corev1.KeyToPath, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range items {
		item, at := &items[i], path.Index(i)
		if item.Key == "" {
			errs = append(errs, field.Required(at.Child("key"), ""))
		}
		errs = append(errs, localPath(item.Path, at.Child("path"))...)
		errs = append(errs, fileMode(item.Mode, at.Child("mode"))...)
	}
	return errs
}

// localPath is upstream's validateLocalNonReservedPath.
func localPath(p string, path *field.Path) field.ErrorList {
	if p == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	if strings.HasPrefix(p, "/") {
		errs = append(errs, field.Invalid(path, p, "must be a relative path"))
	}
	errs = append(errs, validatePathNoBacksteps(p, path)...)
	if strings.HasPrefix(p, "..") && !strings.HasPrefix(p, "../") {
		errs = append(errs, field.Invalid(path, p, "must not start with '..'"))
	}
	return errs
}

// downwardFiles is upstream's validateDownwardAPIVolumeFile, of each.
func downwardFiles(items []corev1.DownwardAPIVolumeFile, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range items {
		item, at := &items[i], path.Index(i)
		errs = append(errs, localPath(item.Path, at.Child("path"))...)
		switch {
		case item.FieldRef != nil && item.ResourceFieldRef != nil:
			errs = append(errs, field.Invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"))
		case item.FieldRef == nil && item.ResourceFieldRef == nil:
			errs = append(errs, field.Required(at, "one of fieldRef and resourceFieldRef is required"))
		case item.ResourceFieldRef != nil && item.ResourceFieldRef.ContainerName == "":
			errs = append(errs, field.Required(at.Child("resourceFieldRef", "containerName"), ""))
		}
		errs = append(errs, fileMode(item.Mode, at.Child("mode"))...)
	}
	return errs
}

// validateProjected is upstream's validateProjectedVolumeSource: no two files at one path.
func validateProjected(p *corev1.ProjectedVolumeSource, path *field.Path) field.ErrorList {
	errs := fileMode(p.DefaultMode, path.Child("defaultMode"))
	for i := range p.Sources {
		s, at := &p.Sources[i], path.Child("sources").Index(i)
		errs = append(errs, onlyOne(reflect.ValueOf(*s), at, "may not specify more than 1 volume type per source")...)
		switch {
		case s.Secret != nil:
			if s.Secret.Name == "" {
				errs = append(errs, field.Required(at.Child("secret", "name"), ""))
			}
			errs = append(errs, keysToPaths(s.Secret.Items, at.Child("secret", "items"))...)
		case s.ConfigMap != nil:
			if s.ConfigMap.Name == "" {
				errs = append(errs, field.Required(at.Child("configMap", "name"), ""))
			}
			errs = append(errs, keysToPaths(s.ConfigMap.Items, at.Child("configMap", "items"))...)
		case s.DownwardAPI != nil:
			errs = append(errs, downwardFiles(s.DownwardAPI.Items, at.Child("downwardAPI", "items"))...)
		case s.ServiceAccountToken != nil:
			t, at := s.ServiceAccountToken, at.Child("serviceAccountToken")
			if e := t.ExpirationSeconds; e != nil && *e < 10*60 {
				errs = append(errs, field.Invalid(at.Child("expirationSeconds"), *e, "may not specify a duration less than 10 minutes"))
			}
			errs = append(errs, localPath(t.Path, at.Child("path"))...)
		}
	}
	return errs
}
