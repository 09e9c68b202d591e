from msjax.mindrecord.config import set_dec_mode as set_dec_mode
from msjax.mindrecord.config import set_enc_key as set_enc_key
from msjax.mindrecord.config import set_enc_mode as set_enc_mode
