"""The exceptions of MindRecord files, with MindSpore's names, messages and codes."""

# Name of the class: its number and its message.
EXCEPTIONS: dict[str, list] = {
    "UnknownError": [0, "Unknown Error."],
    "ParamTypeError": [1, "Param type is error."],
    "ParamValueError": [2, "Param value is error."],
    "ParamMissError": [3, "Param missing."],
    "PathNotExistsError": [4, "Path does not exist."],
    "DbConnectionError": [5, "Db connection is error."],
    "MRMOpenError": [100, "MindRecord could not open."],
    "MRMOpenForAppendError": [101, "MindRecord could not open for append."],
    "MRMInvalidPageSizeError": [102, "Failed to set page size."],
    "MRMInvalidHeaderSizeError": [103, "Failed to set header size."],
    "MRMSetHeaderError": [104, "Failed to set header."],
    "MRMWriteDatasetError": [105, "Failed to write dataset."],
    "MRMCommitError": [107, "Failed to commit."],
    "MRMLaunchError": [108, "Failed to launch."],
    "MRMFinishError": [109, "Failed to finish."],
    "MRMCloseError": [110, "Failed to close."],
    "MRMAddSchemaError": [111, "Failed to add schema."],
    "MRMAddIndexError": [112, "Failed to add index field."],
    "MRMBuildSchemaError": [113, "Failed to build schema."],
    "MRMGetMetaError": [114, "Failed to get meta info."],
    "MRMIndexGeneratorError": [115, "Failed to create index generator."],
    "MRMGenerateIndexError": [116, "Failed to generate index."],
    "MRMInitSegmentError": [117, "Failed to initialize segment."],
    "MRMFetchCandidateFieldsError": [118, "Failed to fetch candidate category fields."],
    "MRMReadCategoryInfoError": [119, "Failed to read category information."],
    "MRMFetchDataError": [120, "Failed to fetch data by category."],
    "MRMInvalidSchemaError": [200, "Schema is error."],
    "MRMValidateDataError": [201, "Raw data is valid."],
    "MRMDefineIndexError": [202, "Index field is error."],
    "MRMDefineBlobError": [203, "Blob field is error."],
    "MRMUnsupportedSchemaError": [204, "Schema is not supported."],
    "MRMDefineCategoryError": [205, "Category field is error."],
}


class MindRecordException(Exception):  # noqa: N818
    """Base class of the exceptions, with `error_msg` and `error_code`.

    Examples:
        >>> from msjax.mindrecord.exceptions import ParamValueError
        >>> print(ParamValueError("No such file."), ParamValueError("").error_code)
        [ParamValueError]: Invalid parameter value. No such file. 1347686402
    """

    def __init__(self) -> None:
        super().__init__()
        number, message = EXCEPTIONS.get(type(self).__name__, EXCEPTIONS["UnknownError"])
        self.error_msg: str = message
        self._error_code = self.transform_error_code(number)

    def __str__(self) -> str:
        return f"[{type(self).__name__}]: {self.error_msg}"

    @property
    def error_code(self) -> int:
        """A number for each class."""
        return self._error_code

    @staticmethod
    def transform_error_code(exception_no: int) -> int:
        """Return the error code: runtime, kind, system and module in front of the number of the class."""
        return 1 << 30 | 1 << 28 | 42 << 17 | (exception_no // 100 + 1) << 12 | exception_no & 0xFFF


class ParamTypeError(MindRecordException):
    """An argument of a wrong type."""

    def __init__(self, param_name: str, expected_type: str) -> None:
        super().__init__()
        self.error_msg = f"Invalid parameter type. '{param_name}' expect {expected_type} type."


class ParamMissError(MindRecordException):
    """An argument that is missing."""

    def __init__(self, param_name: str) -> None:
        super().__init__()
        self.error_msg = f"Param missing. '{param_name}' is required."


class MRMOpenError(MindRecordException):
    """A file that cannot be opened."""

    def __init__(self) -> None:
        super().__init__()
        self.error_msg = "MindRecord File could not open successfully."


class MRMOpenForAppendError(MindRecordException):
    """A file that cannot be opened for more rows."""

    def __init__(self) -> None:
        super().__init__()
        self.error_msg = "MindRecord File could not open successfully for append."


def _make_exception(name: str) -> type[MindRecordException]:
    documentation = EXCEPTIONS[name][1]
    return type(name, (MindRecordException,), {"__doc__": documentation, "__module__": __name__})


class _DetailedError(MindRecordException):
    _text = "{}"

    def __init__(self, error_detail: str) -> None:
        super().__init__()
        self.error_msg = self._text.format(error_detail)


def _format_details(name: str, text: str) -> type[_DetailedError]:
    documentation = EXCEPTIONS[name][1]
    return type(name, (_DetailedError,), {"_text": text, "__doc__": documentation, "__module__": __name__})


UnknownError = _make_exception("UnknownError")
MRMInvalidPageSizeError = _make_exception("MRMInvalidPageSizeError")
MRMInvalidHeaderSizeError = _make_exception("MRMInvalidHeaderSizeError")
MRMSetHeaderError = _make_exception("MRMSetHeaderError")
MRMWriteDatasetError = _make_exception("MRMWriteDatasetError")
MRMCommitError = _make_exception("MRMCommitError")
MRMLaunchError = _make_exception("MRMLaunchError")
MRMFinishError = _make_exception("MRMFinishError")
MRMCloseError = _make_exception("MRMCloseError")
MRMAddSchemaError = _make_exception("MRMAddSchemaError")
MRMAddIndexError = _make_exception("MRMAddIndexError")
MRMBuildSchemaError = _make_exception("MRMBuildSchemaError")
MRMGetMetaError = _make_exception("MRMGetMetaError")
MRMIndexGeneratorError = _make_exception("MRMIndexGeneratorError")
MRMGenerateIndexError = _make_exception("MRMGenerateIndexError")
MRMInitSegmentError = _make_exception("MRMInitSegmentError")
MRMFetchCandidateFieldsError = _make_exception("MRMFetchCandidateFieldsError")
MRMReadCategoryInfoError = _make_exception("MRMReadCategoryInfoError")
MRMFetchDataError = _make_exception("MRMFetchDataError")

ParamValueError = _format_details("ParamValueError", "Invalid parameter value. {}")
PathNotExistsError = _format_details("PathNotExistsError", "Invalid path. {}")
DbConnectionError = _format_details("DbConnectionError", "Db connection is error. Detail: {}")
MRMInvalidSchemaError = _format_details("MRMInvalidSchemaError", "Schema format is error. Detail: {}")
MRMValidateDataError = _format_details("MRMValidateDataError", "Raw data do not match the schema. Detail: {}")
MRMDefineIndexError = _format_details("MRMDefineIndexError", "Failed to define index field. Detail: {}")
MRMDefineBlobError = _format_details("MRMDefineBlobError", "Failed to define blob field. Detail: {}")
MRMUnsupportedSchemaError = _format_details(
    "MRMUnsupportedSchemaError", "Schema is not supported. Detail: {}"
)
MRMDefineCategoryError = _format_details(
    "MRMDefineCategoryError", "Failed to define category field. Detail: {}"
)
