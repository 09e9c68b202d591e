from msjax.config.compiler_hints import set_dump as set_dump
from msjax.tools.detection import get_sdc_detect_result as get_sdc_detect_result
from msjax.tools.detection import sdc_detect_start as sdc_detect_start
from msjax.tools.detection import sdc_detect_stop as sdc_detect_stop
from msjax.utils.single_process import stress_detect as stress_detect
